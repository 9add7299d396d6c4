import Foundation
import Omniport

/// A server process without an engine, which does what no good server does. Of the package it takes the JSON alone.
@main
struct RawServer {
    nonisolated(unsafe) private static var cancelled: [JSONValue] = []
    nonisolated(unsafe) private static var asked: [JSONValue] = []
    /// Calls that wait for the answers to the questions that they asked.
    nonisolated(unsafe) private static var asking: [String: JSONValue] = [:]

    /// Minds neither the end of its input nor a polite signal.
    nonisolated(unsafe) private static var stays = false

    private static let schema: JSONValue = ["type": "object"]
    private static let done: JSONValue = ["content": [["type": "text", "text": "done"]]]

    static func main() throws {
        while let line = readLine() {
            let message = try JSONValue(parsing: line)
            receive(message["method"]?.stringValue, message["id"], message["params"] ?? [:], message)
            fflush(nil)
        }
        while stays { sleep(600) }
    }

    private static func receive(_ method: String?, _ id: JSONValue?, _ params: JSONValue, _ message: JSONValue) {
        switch method {
        case nil:
            if let call = id?.stringValue.flatMap({ asking.removeValue(forKey: $0) }) {
                give(call, text(message["result"] ?? message["error"] ?? .null))
            }
        case "initialize":
            let capabilities: JSONValue = ["tools": ["listChanged": true], "logging": [:], "experimental": ["x": ["y": 1]]]
            let info: JSONValue = ["name": "raw", "version": "0"]
            let said: JSONValue = [
                "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info, "instructions": "Be kind.",
            ]
            give(id, said)
        case "tools/list": list(id, params["cursor"]?.stringValue ?? "")
        case "tools/call": call(params["name"]?.stringValue ?? "", params["arguments"] ?? [:], params["_meta"]?["progressToken"], id)
        case "notifications/cancelled": cancelled.append(params["reason"] ?? .null)
        case "notifications/roots/list_changed": tell("notifications/message", ["level": "info", "data": "roots changed"])
        case "ping", "logging/setLevel": give(id, [:])
        default:
            if let id { send(["id": id, "error": ["code": -32601, "message": "no such method", "data": ["method": .string(method ?? "")]]]) }
        }
    }

    private static func list(_ id: JSONValue?, _ cursor: String) {
        asked.append(.string(cursor))
        switch cursor {
        case "":
            let good: JSONValue = ["name": "good", "inputSchema": schema, "extra": 1]
            give(id, ["tools": [good, ["title": "nameless"], 5, ["name": "schemaless"]], "nextCursor": "b"])
        case "b": give(id, ["tools": [["name": "odd", "inputSchema": schema, "title": 5]], "nextCursor": "c"])
        default: give(id, ["tools": [["name": "last", "inputSchema": schema]]])
        }
    }

    private static func call(_ name: String, _ args: JSONValue, _ progress: JSONValue?, _ id: JSONValue?) {
        let count = args["count"]?.intValue ?? 0
        switch name {
        case "flood":
            for number in 0..<count { tell("notifications/message", ["level": "info", "data": JSONValue(number)]) }
        case "steps":
            for number in 0..<count {
                let token = progress ?? .null
                tell("notifications/progress", ["progressToken": token, "progress": JSONValue(number + 1), "total": JSONValue(count)])
            }
        case "changed": for _ in 0..<count { tell("notifications/tools/list_changed", [:]) }
        case "give": return give(id, args["result"] ?? .null)
        case "raw": return print(args["line"]?.stringValue?.replacingOccurrences(of: "ID", with: "\(id ?? .null)") ?? "")
        case "echo": return give(id, text(args))
        case "never": return tell("notifications/message", ["level": "info", "data": "waiting"])
        case "cancelled": return give(id, text(.array(cancelled)))
        case "asked": return give(id, text(.array(asked)))
        case "stay":
            signal(SIGTERM, SIG_IGN)
            stays = true
            return give(id, text(.string("\(getpid())")))
        case "pid": return give(id, text(.string("\(getpid())")))
        case "ask", "withdraw":
            let key = "ask-\(args["method"] ?? .null)-\(id ?? .null)"
            send(["id": .string(key), "method": args["method"] ?? "elicitation/create", "params": args["params"] ?? [:]])
            if name == "ask" {
                asking[key] = id
                return
            }
            tell("notifications/cancelled", ["requestId": .string(key), "reason": "never mind"])
        case "mutter": FileHandle.standardError.write(Data("\(args["line"]?.stringValue ?? "")\n".utf8))
        case "die":
            FileHandle.standardError.write(Data("no more\n".utf8))
            exit(7)
        default: break
        }
        give(id, done)
    }

    // MARK: What leaves

    private static func text(_ value: JSONValue) -> JSONValue {
        ["content": [["type": "text", "text": .string(value.stringValue ?? "\(value)")]]]
    }

    private static func give(_ id: JSONValue?, _ result: JSONValue) { send(["id": id ?? .null, "result": result]) }

    private static func tell(_ method: String, _ params: JSONValue) { send(["method": .string(method), "params": params]) }

    private static func send(_ members: JSONObject) {
        var message: JSONObject = ["jsonrpc": "2.0"]
        for (name, value) in members { message[name] = value }
        print(JSONValue.object(message))
    }
}
