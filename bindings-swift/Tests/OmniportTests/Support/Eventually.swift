@testable import Omniport

/// Waits for what tells nobody that it has come. A loop of `Task.yield()` would keep tasks of a lower priority, which may be those that it
/// waits for, from running at all on Linux: two of them once held a whole run up.
func eventually(_ hasCome: () async throws -> Bool) async rethrows {
    while try await !hasCome() { try? await Task.sleep(for: .milliseconds(1)) }
}

extension Client {
    /// How many calls are under way.
    var calls: Int { life.connection?.calls.count ?? 0 }

    /// Waits until so many iterations over changes have subscribed, and the server knows of them: it answers one after the other.
    func standing(_ count: Int) async {
        await eventually { life.feeds.all.filter(\.hasSubscribed).count >= count }
        _ = try? await listTools(options: .init(fresh: true))
    }
}
