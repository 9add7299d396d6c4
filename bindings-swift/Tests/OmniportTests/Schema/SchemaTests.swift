import Foundation
import Testing

@testable import Omniport

private func schema(_ type: any Decodable.Type) throws -> JSONValue { try SchemaFinder.schema(of: type, for: "tool `t`") }

@Suite(.timeLimit(.minutes(5))) struct SchemaTests {
    @Test func aStructureIsAnObjectOfItsMembers() throws {
        struct Add: Decodable { let a: Int, b: Double, name: String?, deep: Bool }
        let expected: JSONValue = [
            "type": "object",
            "properties": [
                "a": ["type": "integer"], "b": ["type": "number"], "name": ["type": "string"], "deep": ["type": "boolean"],
            ],
            "required": ["a", "b", "deep"],
        ]
        #expect(try schema(Add.self).text() == expected.text())
    }

    @Test func defaultsAreReadOffAValueMadeWithoutThem() throws {
        struct Search: Codable {
            let query: String
            let limit: Int
            let tags: [String]
            enum CodingKeys: String, CodingKey { case query, limit = "max_results", tags }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                query = try container.decode(String.self, forKey: .query)
                limit = try container.decodeIfPresent(Int.self, forKey: .limit) ?? 10
                tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
            }
        }
        let schema = try schema(Search.self)
        #expect(schema["required"] == ["query"])
        #expect(schema["properties"]?["max_results"] == ["type": "integer", "default": 10])
        #expect(schema["properties"]?["tags"]?["default"] == [])
    }

    @Test func defaultsOfATypeThatDoesNotEncodeAreItsStoredProperties() throws {
        struct Page: Decodable {
            let size: Int
            enum CodingKeys: CodingKey { case size }
            init(from decoder: any Decoder) throws {
                size = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .size) ?? 20
            }
        }
        #expect(try schema(Page.self)["properties"]?["size"]?["default"] == 20)
    }

    @Test func typesOfFoundationAreTextsOfAFormat() throws {
        struct Known: Decodable { let at: Date, url: URL, id: UUID, data: Data, price: Decimal }
        let members = try schema(Known.self)["properties"]
        #expect(members?["at"] == ["type": "string", "format": "date-time"])
        #expect(members?["url"] == ["type": "string", "format": "uri"])
        #expect(members?["id"] == ["type": "string", "format": "uuid"])
        #expect(members?["data"] == ["type": "string", "contentEncoding": "base64"])
        #expect(members?["price"] == ["type": "number"])
    }

    @Test func smallIntegersHaveBounds() throws {
        struct Small: Decodable { let byte: UInt8, signed: Int16, size: UInt, big: Int64 }
        let members = try schema(Small.self)["properties"]
        #expect(members?["byte"] == ["type": "integer", "minimum": 0, "maximum": 255])
        #expect(members?["signed"] == ["type": "integer", "minimum": -32768, "maximum": 32767])
        #expect(members?["size"] == ["type": "integer", "minimum": 0])
        #expect(members?["big"] == ["type": "integer"])
    }

    @Test func collectionsSayWhatTheyHold() throws {
        struct Item: Decodable { let name: String }
        struct Many: Decodable { let items: [Item], unique: Set<Int>, byName: [String: Item], byNumber: [Int: Bool], any: JSONValue }
        let members = try schema(Many.self)["properties"]
        let item: JSONValue = ["type": "object", "properties": ["name": ["type": "string"]], "required": ["name"]]
        #expect(members?["items"] == ["type": "array", "items": item])
        #expect(members?["unique"] == ["type": "array", "items": ["type": "integer"], "uniqueItems": true])
        #expect(members?["byName"] == ["type": "object", "additionalProperties": item])
        #expect(members?["byNumber"]?["propertyNames"] == ["pattern": "^-?[0-9]+$"])
        #expect(members?["any"] == [:])
    }

    @Test func enumerationsAreTheirCases() throws {
        enum Color: String, Codable, CaseIterable { case red, green = "g" }
        enum Level: Int, Codable, CaseIterable { case low = 1, high = 3 }
        struct Paint: Decodable { let color: Color, level: Level?, all: [Color] }
        let members = try schema(Paint.self)["properties"]
        #expect(members?["color"] == ["type": "string", "enum": ["red", "g"]])
        #expect(members?["level"] == ["type": "integer", "enum": [1, 3]])
        #expect(members?["all"] == ["type": "array", "items": ["type": "string", "enum": ["red", "g"]]])
    }

    @Test func anEnumerationThatHidesItsCasesNamesItselfAndTheWaysOut() throws {
        enum Hidden: String, Decodable { case one, two }
        struct Holder: Decodable { let inner: Inner }
        struct Inner: Decodable { let hidden: Hidden }
        let error = failure { try schema(Holder.self) }
        #expect(error?.kind == "definition")
        #expect(error?.message.contains("tool `t`: the schema of `Hidden` at `inner.hidden` cannot be found") == true)
        #expect(error?.message.contains("CaseIterable") == true)
    }

    @Test func overridesRefineMembersAndLetHiddenCasesBeTried() throws {
        enum Hidden: String, Decodable { case one, two }
        struct Refined: Decodable, SchemaDescribing {
            let hidden: Hidden
            let count: Int?
            let tags: [String]
            static let schemaOverrides: [SchemaOverride] = [
                .describe("What is refined."), .oneOf("hidden", ["one", "two"]), .describe("count", "How many."),
                .minimum("count", 1), .maximum("count", 2.5), .default("count", 1), .pattern("tags", "^a"), .maxItems("tags", 3),
            ]
        }
        let schema = try schema(Refined.self)
        #expect(schema["description"] == "What is refined.")
        #expect(schema["properties"]?["hidden"] == ["type": "string", "enum": ["one", "two"]])
        #expect(
            schema["properties"]?["count"]
                == ["type": "integer", "description": "How many.", "minimum": 1, "maximum": 2.5, "default": 1])
        #expect(schema["properties"]?["tags"] == ["type": "array", "items": ["type": "string", "pattern": "^a"], "maxItems": 3])
    }

    @Test func anOverrideOfAMemberThatIsNotReadIsRefused() throws {
        struct Wrong: Decodable, SchemaDescribing {
            let a: Int
            static let schemaOverrides: [SchemaOverride] = [.describe("b", "Not there.")]
        }
        let error = failure { try schema(Wrong.self) }
        #expect(error?.message.contains("speaks of `b`") == true)
    }

    @Test func aTypeThatRefusesValuesTakesOneThatItIsTold() throws {
        struct Positive: Decodable {
            let value: Int
            init(from decoder: any Decoder) throws {
                value = try decoder.singleValueContainer().decode(Int.self)
                guard value > 0 else { throw ToolError("must be positive") }
            }
        }
        struct Order: Decodable, SchemaDescribing {
            let count: Positive
            let name: String
            static let schemaOverrides: [SchemaOverride] = [.minimum("count", 1)]
        }
        #expect(try schema(Order.self)["properties"]?["count"] == ["type": "integer", "minimum": 1])
    }

    @Test func aTypeCanSayItsSchemaItself() throws {
        enum Shape: Codable, SchemaProviding {
            case circle(radius: Double)
            static let schema: JSONValue = ["type": "object", "properties": ["circle": ["type": "object"]]]
            static let schemaSample = Shape.circle(radius: 1)
        }
        struct Draw: Decodable { let shape: Shape, name: String }
        #expect(try schema(Draw.self)["properties"]?["shape"] == Shape.schema)
        #expect(try schema(Draw.self)["required"] == ["shape", "name"])
    }

    @Test func typesWithinThemselvesAreReferences() throws {
        struct Node: Codable { let value: Int, children: [Node] }
        let root = try schema(Node.self)
        #expect(root["type"] == "object")
        #expect(root["properties"]?["children"] == ["type": "array", "items": ["$ref": "#"]])

        struct Tree: Decodable { let root: Node, other: Node? }
        let tree = try schema(Tree.self)
        #expect(tree["properties"]?["root"] == ["$ref": "#/$defs/Node"])
        #expect(tree["properties"]?["other"] == ["$ref": "#/$defs/Node"])
        #expect(tree["$defs"]?["Node"]?["properties"]?["children"]?["items"] == ["$ref": "#/$defs/Node"])
    }

    @Test func containersByHandAreSeen() throws {
        class Base: Decodable {
            let id: Int
            enum CodingKeys: CodingKey { case id }
            required init(from decoder: any Decoder) throws {
                id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            }
        }
        final class Derived: Base {
            enum Keys: CodingKey { case x, inner, list, pair, sought }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                let inner = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
                _ = try inner.decode(String.self, forKey: .x)
                var list = try container.nestedUnkeyedContainer(forKey: .list)
                while !list.isAtEnd { _ = try list.decode(Int.self) }
                var pair = try container.nestedUnkeyedContainer(forKey: .pair)
                _ = (try pair.decode(Int.self), try pair.decode(String.self))
                if container.contains(.sought) { _ = try container.decode(Bool.self, forKey: .sought) }
                try super.init(from: decoder)
            }
        }
        let schema = try schema(Derived.self)
        let members = schema["properties"]
        #expect(members?["inner"] == ["type": "object", "properties": ["x": ["type": "string"]], "required": ["x"]])
        #expect(members?["list"] == ["type": "array", "items": ["type": "integer"]])
        #expect(
            members?["pair"]
                == ["type": "array", "prefixItems": [["type": "integer"], ["type": "string"]], "minItems": 2, "maxItems": 2])
        #expect(members?["sought"] == ["type": "boolean"])
        #expect(members?["id"] == ["type": "integer"])
        #expect(schema["required"] == ["inner", "list", "pair", "id"])
    }
}
