import Foundation
import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct JSONValueTests {
    @Test(arguments: [
        "null", "true", "-1", "0", "1.5", "9223372036854775807", "-9223372036854775808", "18446744073709551615", #""""#, "[]", "{}",
        #"{"b":1,"a":[1,"x",null,{"c":false}]}"#, #""a\"b\\c\n\u0001""#,
    ])
    func textsComeBackAsTheyWere(text: String) throws {
        #expect(try JSONValue(parsing: text).text() == text)
    }

    @Test func whatNeedsAnEscapeIsWrittenWithOne() throws {
        let controls = String(String.UnicodeScalarView((0..<0x20).map { UnicodeScalar(UInt8($0)) }))
        for text in ["", "\"", "\\", "a\"b\\c", "\n", "ä\té", controls, "😀\u{7f}\u{2028}" + controls + "end"] {
            let written = try JSONValue.string(text).text()
            #expect(!written.utf8.contains { $0 < 0x20 })
            #expect(try JSONValue(parsing: written) == .string(text))
        }
        #expect(try JSONValue.string("a\"\\\n\r\t\u{1}\u{1f}b").text() == #""a\"\\\n\r\t\u0001\u001fb""#)
    }

    @Test func escapesAreRead() throws {
        #expect(try JSONValue(parsing: #""\u00e4\ud83d\ude00\/\b\f\ud800x""#) == .string("ä😀/\u{8}\u{c}\u{FFFD}x"))
        #expect(try JSONValue(parsing: #""\ud83d\u0041""#) == .string("\u{FFFD}A"))
    }

    @Test(arguments: [
        "", "nul", "01", "-", "1.", "1e", "+1", "[1,]", "[1", "{\"a\"}", "{a:1}", "{\"a\":1,}", "\"a", "\"\n\"", "\"\\x\"", "\"\\u12\"", "1 2",
    ])
    func whatIsNoJSONIsRefused(text: String) {
        #expect(throws: OmniportError.self) { try JSONValue(parsing: text) }
    }

    @Test func aNumberThatNoMachineHasIsInfinite() throws {
        #expect(try JSONValue(parsing: "[1e999,-1e999]") == [.double(.infinity), .double(-.infinity)])
        #expect(try JSONValue(parsing: String(repeating: "9", count: 400)) == .double(.infinity))
        #expect(try JSONValue(parsing: "1e-999") == .double(0))
    }

    @Test func nestingHasAnEnd() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: OmniportError.self) { try JSONValue(parsing: deep) }
    }

    @Test func numbersThatNoJSONHasAreRefused() {
        #expect(throws: OmniportError.self) { try JSONValue.double(.nan).text() }
    }

    @Test func objectsKeepTheirOrderAndAreEqualInAnyOther() throws {
        let members = (0..<40).map { ("k\($0)", JSONValue($0)) }
        let there = JSONObject(members)
        let back = JSONObject(members.reversed())
        #expect(there == back)
        #expect(there.hashValue == back.hashValue)
        #expect(there.keys.first == "k0" && back.keys.first == "k39")
        var less = there
        less["k3"] = nil
        #expect(less["k4"] == 4 && less["k3"] == nil && less.count == 39)
    }

    struct Point: Codable, Equatable {
        var zeta: UInt64
        var alpha: Int64?
        var on: Date
        var at: URL
        var raw: Data
        var list: [[String: Double]]
    }

    @Test func typesGoThereAndBack() throws {
        let point = Point(
            zeta: .max, alpha: nil, on: Date(timeIntervalSince1970: 1.5), at: URL(string: "https://a.example/x")!, raw: Data([1, 2]),
            list: [["a": 0.5]])
        let text = try JSON.encode(point)
        #expect(
            text
                == #"{"zeta":18446744073709551615,"on":"1970-01-01T00:00:01.500Z","at":"https://a.example/x","raw":"AQI=","list":[{"a":0.5}]}"#)
        #expect(try JSON.decode(Point.self, from: text) == point)
    }

    /// The formatter of Foundation ends the process for dates that are far away.
    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300, 1e15, -1e15, 253_402_300_800])
    func aDateOfNoYearIsRefused(seconds: Double) {
        let error = failure { try JSON.encode(["at": Date(timeIntervalSince1970: seconds)]) }
        #expect(error?.message.hasPrefix("`at` is \(seconds) seconds after 1970") == true)
    }

    @Test func datesOfAllYearsGoThereAndBack() throws {
        for seconds in [-62_135_596_800, -1, 0, 253_402_300_799] {
            let date = Date(timeIntervalSince1970: TimeInterval(seconds))
            #expect(try JSON.decode([Date].self, from: try JSON.encode([date])) == [date])
        }
    }

    @Test(arguments: ["2026-01-01T00:00:00Zjunk", "2026-01-01T00:00:00Z2026", "2026-01-01", "2026-13-45T99:99:99Z", "Z", ""])
    func whatOnlyBeginsAsADateIsNone(text: String) {
        #expect(throws: DecodingError.self) { try JSON.decode([Date].self, from: JSONValue.array([.string(text)]).text()) }
    }

    @Test func aDecimalThatIsNoNumberIsRefused() throws {
        #expect(failure { try JSON.encode(["price": Decimal.nan]) }?.message.contains("`price` is nan") == true)
        #expect(try JSON.encode([Decimal(string: "-0.1")]) == "[-0.1]")
    }

    @Test func whatDoesNotFitIsNamed() {
        #expect {
            try JSON.decode([String: [Int8]].self, from: #"{"a":[1,300]}"#)
        } throws: { error in
            Omniport.text(of: error) == "`a[1]` must be an integer from -128 to 127, not an integer"
        }
    }

    /// Security 47: what failed to be encoded is in no text for people.
    @Test func whatCannotBeEncodedIsNotShown() throws {
        struct Secretive: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue("secret", .init(codingPath: encoder.codingPath, debugDescription: "is no text"))
            }
        }
        do {
            _ = try JSON.encode(["a": [Secretive()]])
        } catch {
            #expect(Omniport.text(of: error) == "`a[0]` is no text")
        }
    }

    @Test func valuesWorkWithOtherCoders() throws {
        let value: JSONValue = ["a": [1, -0.5, nil, true, "x"], "big": .unsigned(.max)]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
    }
}
