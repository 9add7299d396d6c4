/// What came back: the text of an answer, and whether it says what input the call needs.
struct Answer: Sendable {
    let text: String
    let isInput: Bool
}

/// Who hears of the notifications of one call.
final class CallHandlers: Sendable {
    let progress: (@Sendable (CallProgress) async -> Void)?
    let log: (@Sendable (LogMessage) async -> Void)?
    /// Where they run, one after the other.
    let lane: Lane

    init(progress: (@Sendable (CallProgress) async -> Void)?, log: (@Sendable (LogMessage) async -> Void)?, lane: Lane) {
        self.progress = progress
        self.log = log
        self.lane = lane
    }
}
