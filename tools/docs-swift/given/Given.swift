import Foundation
import Omniport

/// What the examples of the documents assume to be there.
struct Given {
    let app = Server(name: "given")
    let client = Client(.server(Server(name: "given")))
    let hotel = Hotel()
    let tokens = Tokens()
    let journal = Journal()
    let sheet = Sheet()
    let png = URL(fileURLWithPath: "week.png")
    let phase = Phase.active

    var all: (Server, Client, Hotel, Tokens, Journal, Sheet, URL, Phase) { (app, client, hotel, tokens, journal, sheet, png, phase) }
}

enum Phase { case active, background }

struct Note: Codable, Sendable { let title: String, tags: [String] }

actor Hotel {
    func book(_ room: String, nights: Int) throws -> String { "\(room) \(nights)" }
    func send(_ booking: String, to mail: String) throws {}
}

actor Tokens {
    func principal(_ header: String?) throws -> Principal? { header.map { Principal($0) } }
}

actor Journal {
    func write(_ line: String) {}
}

actor Sheet {
    func fill(_ form: ElicitRequestFormParams) throws -> JSONObject { [:] }
}
