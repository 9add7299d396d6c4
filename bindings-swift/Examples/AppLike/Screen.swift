import Omniport

/// What the user sees and answers. An app has views here, and a sheet for `ask`; this one prints, and its user's answers are known beforehand.
@MainActor
final class Screen {
    private var answers: [ElicitAnswer]

    init(answers: [ElicitAnswer]) { self.answers = answers }

    func show(_ line: String) { print(line) }

    func show(_ step: CallProgress) {
        let bar = String(repeating: "#", count: Int(step.progress))
        print("[\(bar)] \(step.message ?? "")")
    }

    /// The form of a tool: its members are in `form.requestedSchema`. Whoever closes the sheet without an answer cancels.
    func ask(_ form: ElicitRequestFormParams) -> ElicitAnswer {
        print("asked: \(form.message)")
        return answers.isEmpty ? .cancel : answers.removeFirst()
    }
}
