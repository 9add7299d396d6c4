/// The user's notes. An actor, as tools may be called at the same time.
actor Notebook {
    private(set) var all: [String]

    init(_ notes: [String]) { all = notes }

    func add(_ note: String) { all.append(note) }

    /// Whether it was new.
    func addIfNew(_ note: String) -> Bool {
        if all.contains(note) { return false }
        all.append(note)
        return true
    }

    func clear() { all = [] }
}
