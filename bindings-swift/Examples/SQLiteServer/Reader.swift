import CSQLite
import Foundation
import Omniport

/// What a query gives.
struct Rows: Codable, Sendable {
    let columns: [String]
    let rows: [[JSONValue]]
    let moreRows: Bool
    let note: String

    private enum CodingKeys: String, CodingKey {
        case columns, rows, moreRows = "more_rows", note
    }
}

/// A database that can only be read.
///
/// That nothing can be written is SQLite's own doing and not a list of keywords: the file is opened read-only, and an authorizer sees each
/// action of a statement as it is compiled. `WITH x AS (...) DELETE ...` is refused, a column called `created_at` is not.
struct Reader: Sendable {
    static let maxRows = 100
    static let maxTime = Duration.seconds(5)
    static let maxBytes: Int32 = 1_000_000  // of one value

    let path: String

    /// At most a hundred rows. It may take seconds, so no thread that other tasks need waits for it.
    ///
    /// - Throws: `ToolError` when SQLite refuses the statement or it takes too long.
    func query(_ sql: String, _ values: [String] = []) async throws -> Rows {
        try await withCheckedThrowingContinuation { done in
            DispatchQueue.global().async { done.resume(with: Result { try Connection(path).query(sql, values) }) }
        }
    }
}

/// A connection for one statement: it can only read, and its time and memory have an end.
private final class Connection {
    private var handle: OpaquePointer?
    private let end = ContinuousClock.now + Reader.maxTime

    init(_ path: String) throws {
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { throw refusal() }
        sqlite3_exec(handle, "PRAGMA query_only = ON", nil, nil, nil)
        sqlite3_set_authorizer(handle, { _, action, first, second, _, _ in isReading(action, first, second) ? SQLITE_OK : SQLITE_DENY }, nil)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Reader.maxBytes)
        let isLate: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { connection in
            guard let connection else { return 1 }
            return ContinuousClock.now > Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().end ? 1 : 0
        }
        sqlite3_progress_handler(handle, 10_000, isLate, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { sqlite3_close(handle) }

    func query(_ sql: String, _ values: [String]) throws -> Rows {
        let statement = try compile(sql)
        defer { sqlite3_finalize(statement) }
        for (place, value) in values.enumerated() {
            // SQLITE_TRANSIENT, which C spells as a cast: SQLite keeps a copy of its own.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            sqlite3_bind_text(statement, Int32(place + 1), value, Int32(value.utf8.count), copied)
        }
        let width = sqlite3_column_count(statement)
        let columns = (0..<width).map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
        var rows: [[JSONValue]] = []
        while rows.count <= Reader.maxRows {
            let state = sqlite3_step(statement)
            if state == SQLITE_DONE { break }
            guard state == SQLITE_ROW else { throw refusal() }
            rows.append((0..<width).map { cell(statement, $0) })
        }
        let more = rows.count > Reader.maxRows
        return Rows(
            columns: columns, rows: Array(rows.prefix(Reader.maxRows)), moreRows: more,
            note: more ? "only the first \(Reader.maxRows) rows are shown; narrow the query for the rest" : "")
    }

    private func compile(_ sql: String) throws -> OpaquePointer {
        guard !sql.utf8.contains(0) else { throw Self.refused("it has a NUL") }
        return try sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            guard let statement = try compileFirst(&rest) else { throw Self.refused("there is none") }
            do {
                // What SQLite compiles is the first statement only; it would leave out the rest without a word. A comment is none.
                while let more = rest, more.pointee != 0 {
                    guard let second = try compileFirst(&rest) else { continue }
                    sqlite3_finalize(second)
                    throw Self.refused("only one statement is run")
                }
            } catch {
                sqlite3_finalize(statement)
                throw error
            }
            return statement
        }
    }

    /// The first statement of a text, which becomes what is behind it; nil where there is no more than space or a comment.
    private func compileFirst(_ text: inout UnsafePointer<CChar>?) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, text, -1, &statement, &text) == SQLITE_OK else { throw refusal() }
        return statement
    }

    private func cell(_ statement: OpaquePointer?, _ column: Int32) -> JSONValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .int(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: number(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .string(text(statement, column))
        case SQLITE_BLOB: .string("<\(sqlite3_column_bytes(statement, column)) bytes>")
        default: .null
        }
    }

    /// JSON has no number for infinity.
    private func number(_ value: Double) -> JSONValue { value.isFinite ? .double(value) : .string("\(value)") }

    private func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
        let bytes = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func refused(_ reason: String) -> ToolError { ToolError("SQLite refused the statement: \(reason)") }

    /// Why SQLite did not do the last thing that it was asked.
    private func refusal() -> ToolError {
        let reason =
            switch sqlite3_errcode(handle) {
            case SQLITE_INTERRUPT: "it took longer than \(Reader.maxTime.components.seconds) s"
            case SQLITE_AUTH, SQLITE_READONLY: "only reading is allowed"
            default: String(cString: sqlite3_errmsg(handle))
            }
        return Self.refused(reason)
    }
}

private func isReading(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Bool {
    func named(_ text: UnsafePointer<CChar>?, _ names: String...) -> Bool { names.contains(text.map { String(cString: $0) } ?? "") }
    return switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
    case SQLITE_FUNCTION: !named(second, "load_extension", "fts3_tokenizer")
    // The second is what full-text search needs.
    case SQLITE_PRAGMA: named(first, "table_info", "data_version")
    // Asked by SQLite itself when it first meets a virtual table such as json_each; it lets no statement do it.
    case SQLITE_UPDATE: named(first, "sqlite_master")
    default: false
    }
}
