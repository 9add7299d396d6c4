extension ClientTarget {
    /// A server in this process: what is asked and answered is JSON as everywhere, but nothing is connected.
    public static func server(_ server: Server) -> ClientTarget {
        .engine(name: server.name) { try server.engineAtWork() }
    }
}
