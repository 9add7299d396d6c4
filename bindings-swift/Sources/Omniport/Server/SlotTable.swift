internal import OmniportBoundary

/// The handlers by the slots that the engine names them by.
///
/// Each registration has a slot of its own. Of what was replaced the last handler stays: the engine may have queued a call for it already.
struct SlotTable {
    /// What a handler is of.
    enum Owner: Hashable {
        case definition(Definition.What, String)
        case completion(CompletionReference, String)
    }

    /// For each kind of event, the handlers by their slots.
    private(set) var handlers: [Kind: [UInt32: Handler]] = [:]
    /// The newest slots of each owner, two at most, the older one first.
    private var slots: [Owner: [(kind: Kind, slot: UInt32)]] = [:]

    /// The handler that is not needed any more.
    mutating func put(_ handler: Handler, _ kind: Kind, _ slot: UInt32, _ owner: Owner) -> Handler? {
        handlers[kind, default: [:]][slot] = handler
        slots[owner, default: []].append((kind, slot))
        guard let old = slots[owner]?.first, slots[owner]?.count == 3 else { return nil }
        slots[owner]?.removeFirst()
        return handlers[old.kind]?.removeValue(forKey: old.slot)
    }

    /// The handlers that are not needed any more.
    mutating func remove(_ owner: Owner) -> [Handler] {
        (slots.removeValue(forKey: owner) ?? []).compactMap { handlers[$0.kind]?.removeValue(forKey: $0.slot) }
    }
}
