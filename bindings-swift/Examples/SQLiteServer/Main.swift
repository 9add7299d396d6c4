import Foundation
import Omniport

/// A read-only SQLite server: any database, asked with SQL, over stdio or (with `--http PORT`) over HTTP.
@main
struct SQLiteServer {
    static func main() async throws {
        guard let path = option("--db") else { return refuse("usage: SQLiteServer --db FILE [--http PORT]") }
        guard FileManager.default.isReadableFile(atPath: path) else { return refuse("there is no file \(path)") }
        let app = server(Reader(path: path))
        guard let port = option("--http").flatMap({ Int($0) }) else { return try await app.run() }
        let listening = try await app.listen(port: port)
        say("serving \(listening.url)")
        await listening.closed
    }

    private static func refuse(_ reason: String) {
        say(reason)
        exit(2)
    }

    /// To stderr: stdout is the wire.
    private static func say(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

    private static func option(_ name: String) -> String? {
        let words = CommandLine.arguments
        return words.firstIndex(of: name).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
    }

    struct Query: Decodable { let sql: String }
    struct Table: Codable { let name: String, kind: String, columns: String }
    struct Named: Decodable { let table: String }
    struct Review: Decodable { let code: String, language: String? }

    static func server(_ reader: Reader) -> Server {
        let app = Server(
            name: "sqlite", options: .init(instructions: "Look at list_tables or db://tables/{table}/schema before you write a query."))

        app.tool(
            "query_database",
            "Run one SQL statement that reads; at most 100 rows come back, and `more_rows` says whether there were more."
        ) { (args: Query) in try await reader.query(args.sql) }

        let listTables: @Sendable () async throws -> [Table] = {
            let found = try await reader.query(
                """
                SELECT t.name, t.type, group_concat(c.name, ', ') FROM sqlite_master AS t, pragma_table_info(t.name) AS c
                WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' GROUP BY t.name ORDER BY t.name
                """)
            return found.rows.map { row in
                Table(name: row[0].stringValue ?? "", kind: row[1].stringValue ?? "", columns: row[2].stringValue ?? "")
            }
        }
        app.tool("list_tables", "The tables and views, with their columns.", listTables)
        app.resource(
            "db://tables",
            options: .init(name: "tables", description: "The tables and views, with their columns.", mimeType: "application/json"), listTables)

        app.resourceTemplate(
            "db://tables/{table}/schema",
            options: .init(name: "schema", description: "The statement that made a table or view.", mimeType: "text/x-sql")
        ) { (of: Named) in
            let found = try await reader.query("SELECT sql FROM sqlite_master WHERE name = ? AND sql IS NOT NULL", [of.table])
            guard let sql = found.rows.first?.first?.stringValue else {
                let known = try await listTables().map(\.name).joined(separator: ", ")
                throw OmniportError.invalidParams("no table '\(of.table)'; there are \(known)")
            }
            return sql
        }

        app.prompt("code_review", "Ask for a review of some code.") { (args: Review) in
            let language = args.language ?? "python"
            return "Review this \(language) code. Name bugs first, then what is hard to read.\n\n```\(language)\n\(args.code)\n```"
        }
        return app
    }
}
