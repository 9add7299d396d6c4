/// Finds the JSON Schema of a type by running its own `init(from:)` with a decoder that writes down what is read.
///
/// So whatever the type does by hand (keys of other names, members that may be missing, containers within containers) is in the schema, and
/// nothing has to be declared twice.
final class SchemaFinder {
    /// How messages call the thing that the schema is for: "tool `add`".
    private let subject: String
    private var found: [ObjectIdentifier: Found] = [:]
    private var open: [Open] = []
    private var definitions = JSONObject()

    private struct Found {
        let schema: JSONValue
        /// A value of the type, with which whoever reads it can go on.
        let sample: Any
    }

    /// A type whose decoder runs at the moment.
    private struct Open {
        let type: Any.Type
        var isReferenced = false
    }

    private init(_ subject: String) { self.subject = subject }

    /// The whole schema of a type.
    ///
    /// - Throws: ``OmniportError/definition(_:)`` that names the member whose schema cannot be found.
    static func schema(of type: any Decodable.Type, for subject: String) throws -> JSONValue {
        let finder = SchemaFinder(subject)
        var schema = try finder.schema(of: type)
        if !finder.definitions.isEmpty, case .object(var members) = schema {
            members["$defs"] = .object(finder.definitions)
            schema = .object(members)
        }
        return schema
    }

    /// The schema of a type within that of another; a type within itself is a reference.
    func schema(of type: any Decodable.Type, at path: String = "") throws -> JSONValue {
        if let reference = reference(to: type) { return reference }
        return try find(type, path, nil).schema
    }

    /// The schema of a member, and a value to go on with, which is `seed` where one is given.
    func read<T: Decodable>(_ type: T.Type, at path: String, seed: JSONValue?) throws -> (schema: JSONValue, sample: T) {
        if reference(to: type) != nil {
            throw refusal("`\(type)` at `\(path)` contains itself; make the member optional or an array")
        }
        let found = try find(type, path, seed)
        if let seed, let sample = try? JSON.decode(type, from: seed) { return (found.schema, sample) }
        guard let sample = found.sample as? T else { throw refusal("`\(type)` at `\(path)` has no value to try") }
        return (found.schema, sample)
    }

    func refusal(_ text: String) -> OmniportError { .definition(.init("\(subject): \(text)")) }

    private func find(_ type: any Decodable.Type, _ path: String, _ seed: JSONValue?) throws -> Found {
        if let known = KnownType.of(type) { return Found(schema: known.schema, sample: known.sample) }
        if let found = found[ObjectIdentifier(type)] { return found }
        let made = try make(type, path, seed)
        if seed == nil { found[ObjectIdentifier(type)] = made }
        return made
    }

    private func make(_ type: any Decodable.Type, _ path: String, _ seed: JSONValue?) throws -> Found {
        if let type = type as? any SchemaProviding.Type { return Found(schema: type.schema, sample: type.schemaSample) }
        if let type = type as? any KnownCollection.Type { return Found(schema: try type.describe(self), sample: type.sample) }
        if let values = Self.cases(of: type), let sample = Self.firstCase(of: type) {
            let texts = values.allSatisfy { $0.stringValue != nil }
            let integers = values.allSatisfy { $0.intValue != nil }
            var schema = JSONObject()
            if texts || integers { schema["type"] = texts ? "string" : "integer" }
            schema["enum"] = .array(values)
            return Found(schema: .object(schema), sample: sample)
        }
        return try run(type, path, seed)
    }

    // MARK: Running a decoder

    private func run<T: Decodable>(_ type: T.Type, _ path: String, _ seed: JSONValue?) throws -> Found {
        let overrides = (type as? any SchemaDescribing.Type)?.schemaOverrides ?? []
        let shape = SchemaShape()
        open.append(Open(type: type))
        let sample: T?
        do {
            defer { closed = open.removeLast() }
            sample = try T(from: RecordingDecoder(finder: self, shape: shape, path: path, seeds: seeds(overrides)))
        } catch let error as OmniportError {
            throw error  // of a member, which it names
        } catch {
            // A value that the type refuses. Where one is known that it takes, it goes on.
            guard let seed, let allowed = try? JSON.decode(type, from: seed) else { throw refused(type, path, error) }
            return Found(schema: try refined(shape.schema(), type, overrides), sample: allowed)
        }
        var schema = try refined(shape.schema(), type, overrides)
        if let sample, case .object(let members) = schema { schema = .object(Defaults.filled(members, from: sample)) }
        return Found(schema: define(schema, type), sample: sample as Any)
    }

    /// The type whose decoder has just ended.
    private var closed: Open?

    private func refused(_ type: Any.Type, _ path: String, _ error: any Error) -> OmniportError {
        let place = path.isEmpty ? "" : " at `\(path)`"
        return refusal(
            "the schema of `\(type)`\(place) cannot be found, because its decoder refuses the value that was tried (\(text(of: error))); "
                + "make an enumeration CaseIterable, name an allowed value in `schemaOverrides` (oneOf, default, minimum, examples), "
                + "or let the type be SchemaProviding")
    }

    /// Values for members, from what is said of them.
    private func seeds(_ overrides: [SchemaOverride]) -> [String: JSONValue] {
        var seeds: [String: JSONValue] = [:]
        for override in overrides.reversed() {
            guard let key = override.key else { continue }
            switch override.keyword {
            case "default", "minimum", "const": seeds[key] = override.value
            case "enum", "examples": seeds[key] = override.value[0] ?? seeds[key]
            default: break
            }
        }
        return seeds
    }

    // MARK: Types within themselves

    private func reference(to type: Any.Type) -> JSONValue? {
        guard let place = open.firstIndex(where: { $0.type == type }) else { return nil }
        open[place].isReferenced = true
        return place == 0 ? ["$ref": "#"] : ["$ref": .string("#/$defs/\(name(of: type))")]
    }

    /// A type that is met within itself gets a definition; others stand where they are used.
    private func define(_ schema: JSONValue, _ type: Any.Type) -> JSONValue {
        guard let closed, closed.isReferenced, !open.isEmpty else { return schema }
        let name = name(of: type)
        definitions[name] = schema
        return ["$ref": .string("#/$defs/\(name)")]
    }

    private var names: [ObjectIdentifier: String] = [:]

    /// A name of its own, also for types of two modules that are called the same.
    private func name(of type: Any.Type) -> String {
        if let name = names[ObjectIdentifier(type)] { return name }
        let plain = String(describing: type).map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" }
        var name = String(plain)
        while names.values.contains(name) { name += "_" }
        names[ObjectIdentifier(type)] = name
        return name
    }

    // MARK: Refinements

    /// Keywords that of a list are meant for its items.
    private static let ofItems: Set<String> = [
        "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
    ]

    private func refined(_ schema: JSONValue, _ type: Any.Type, _ overrides: [SchemaOverride]) throws -> JSONValue {
        guard !overrides.isEmpty, case .object(var members) = schema else { return schema }
        var properties = members["properties"]?.objectValue ?? [:]
        for override in overrides {
            guard let key = override.key else {
                members[override.keyword] = override.value
                continue
            }
            guard case .object(var member)? = properties[key] else {
                throw refusal("`schemaOverrides` of `\(type)` speaks of `\(key)`, which its decoder does not read")
            }
            if member["type"] == "array", Self.ofItems.contains(override.keyword), case .object(var items)? = member["items"] {
                items[override.keyword] = override.value
                member["items"] = .object(items)
            } else {
                member[override.keyword] = override.value
            }
            properties[key] = .object(member)
        }
        if members["properties"] != nil { members["properties"] = .object(properties) }
        return .object(members)
    }

    // MARK: Enumerations

    /// The values of an enumeration that says which cases it has; nil for any other type.
    static func cases(of type: Any.Type) -> [JSONValue]? {
        guard let type = type as? any CaseIterable.Type else { return nil }
        return values(of: type)
    }

    private static func values<T: CaseIterable>(of type: T.Type) -> [JSONValue]? {
        let values = type.allCases.map { value -> JSONValue? in
            switch value {
            case let value as any RawRepresentable<String>: .string(value.rawValue)
            case let value as any RawRepresentable<Int>: JSONValue(value.rawValue)
            case let value as any Encodable: try? JSON.value(of: value)
            default: nil
            }
        }
        let known = values.compactMap(\.self)
        return known.isEmpty || known.count < values.count ? nil : known
    }

    private static func firstCase(of type: Any.Type) -> Any? {
        func first<T: CaseIterable>(_: T.Type) -> Any? { T.allCases.first }
        return (type as? any CaseIterable.Type).flatMap { first($0) }
    }
}
