import Foundation

/// From now on server processes are ended with this one: none stays behind, whatever it makes of the end of its input (C03).
func atExit(of target: ClientTarget) {
    if target.isProcess { _ = hooks }
}

private let hooks: Void = {
    atexit { closeAll() }
    // A write to a process that has exited is an error for its call, not the end of this process; who handles the signal goes on doing so.
    var before = sigaction()
    if sigaction(SIGPIPE, nil, &before) == 0, isDefault(before) { signal(SIGPIPE, SIG_IGN) }
}()

private func isDefault(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
        action.__sigaction_u.__sa_handler == nil
    #else
        action.__sigaction_handler.sa_handler == nil
    #endif
}

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
