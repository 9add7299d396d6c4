import Foundation

/// From now on server processes are ended with this one: none stays behind, whatever it makes of the end of its input (C03).
func atExit(of target: ClientTarget) {
    if target.isProcess { _ = hook }
}

private let hook: Void = { atexit { closeAll() } }()

/// How long server processes have to exit: three times what the engine gives them, and a little.
private let patience: TimeInterval = 7

/// Runs when the process ends. The reading task and the engine go on meanwhile, on threads of their own.
private func closeAll() {
    let group = DispatchGroup()
    for connection in ClientInbox.shared.enrolled where connection.target.isProcess {
        group.enter()
        Task.detached {
            await connection.close(.closed)
            group.leave()
        }
    }
    _ = group.wait(timeout: .now() + patience)
}
