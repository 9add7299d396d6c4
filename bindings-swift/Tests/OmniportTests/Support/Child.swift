#if !os(iOS)
    import Foundation

    @testable import Omniport

    /// The programs that are built with the tests.
    enum Program {
        /// The path of one; they are beside the tests.
        static func path(_ name: String) -> String { folder.appending(path: name).path }

        /// Whether they were built: they are part of the package where its own engine is (see Package.swift).
        /// There, tests that miss one fail: a wrong path must not pass for a package without them.
        static let areHere =
            ProcessInfo.processInfo.environment["OMNIPORT_DEVELOPMENT"] != nil
            || FileManager.default.isExecutableFile(atPath: path("StdioServer"))

        private static let folder: URL = {
            #if os(Linux)
                let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
                return URL(filePath: tests).deletingLastPathComponent()
            #else
                final class Here {}
                return Bundle(for: Here.self).bundleURL.deletingLastPathComponent()
            #endif
        }()
    }

    /// A server as a child process that speaks lines of JSON. Its output stays in the pipe until it is asked for.
    final class Child: Sendable {
        let output: Lines
        let errors: Lines
        private let process: Process
        private let input: FileHandle
        private let ended = Latch()

        init(_ program: String, _ arguments: String...) throws {
            Foundation.signal(SIGPIPE, SIG_IGN)  // of a child that is gone a write learns by its error
            let (input, output, errors) = (try Self.pipe(), try Self.pipe(), try Self.pipe())
            process = Process()
            process.executableURL = URL(filePath: Program.path(program))
            process.arguments = arguments
            (process.standardInput, process.standardOutput, process.standardError) = (input.read, output.write, errors.write)
            (self.input, self.output, self.errors) = (input.write, Lines(output.read), Lines(errors.read))
            process.terminationHandler = { [ended] _ in ended.open() }
            try process.run()
            for handle in [input.read, output.write, errors.write] { try handle.close() }
        }

        deinit {
            if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        }

        /// Of this process alone: a child that is started meanwhile would keep the other end from seeing the end.
        private static func pipe() throws -> (read: FileHandle, write: FileHandle) {
            var ends: [Int32] = [0, 0]
            guard Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
        }

        // MARK: What it is told

        func send(_ method: String, _ params: JSONValue? = nil, id: Int? = nil) throws {
            var message: JSONObject = ["jsonrpc": "2.0"]
            message.set("id", id)
            message["method"] = .string(method)
            message.set("params", params)
            try input.write(contentsOf: Data((JSONValue.object(message).text() + "\n").utf8))
        }

        func begin() async throws {
            let info: JSONValue = ["name": "test", "version": "1"]
            try send("initialize", ["protocolVersion": "2025-06-18", "capabilities": [:], "clientInfo": info], id: 0)
            _ = try await answer()
            try send("notifications/initialized", [:])
        }

        func call(_ tool: String, _ arguments: JSONValue = [:], id: Int) throws {
            try send("tools/call", ["name": .string(tool), "arguments": arguments], id: id)
        }

        func endInput() throws { try input.close() }

        /// Whether there is a process of that number that has not ended.
        static func isAlive(_ number: pid_t) -> Bool {
            #if os(Linux)
                // One that has ended stays known until somebody asks how.
                let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
                return status.map { !$0.contains(") Z ") } ?? false
            #else
                return Foundation.kill(number, 0) == 0
            #endif
        }

        func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

        // MARK: What it says

        /// The next message; null at the end.
        func answer() async throws -> JSONValue {
            guard let line = await output.next() else { return .null }
            return try JSONValue(parsing: line)
        }

        var isRunning: Bool { process.isRunning }

        /// Waits until it has exited; how.
        func end() async -> (reason: Process.TerminationReason, status: Int32) {
            await ended.wait()
            return (process.terminationReason, process.terminationStatus)
        }
    }

    /// The lines of a pipe, which is not read before the first of them is asked for. For one reader.
    final class Lines: Sendable {
        private let handle: FileHandle
        private let lines = Locked<AsyncStream<String>?>(nil)

        init(_ handle: FileHandle) { self.handle = handle }

        /// Nobody reads them: whoever writes learns that the pipe is broken.
        func close() throws { try handle.close() }

        func next() async -> String? {
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }

        /// The next line that has `text` in it; nil when there is none.
        func next(with text: String) async -> String? {
            while let line = await next() {
                if line.contains(text) { return line }
            }
            return nil
        }

        /// What is left, to the end.
        func rest() async -> [String] {
            var lines: [String] = []
            while let line = await next() { lines.append(line) }
            return lines
        }

        /// What is there, at least one byte; nil at the end. A handle's own reading waits until there is as much as was asked for.
        private static func part(of handle: FileHandle) -> Data? {
            var part = Data(count: 1 << 16)
            let count = part.withUnsafeMutableBytes { read(handle.fileDescriptor, $0.baseAddress, $0.count) }
            return count > 0 ? part.prefix(count) : nil
        }

        private var stream: AsyncStream<String> {
            lines.with { lines in
                if let lines { return lines }
                let (stream, continuation) = AsyncStream.makeStream(of: String.self)
                // A thread, because reading blocks.
                Thread.detachNewThread { [handle] in
                    var left = Data()
                    while let part = Self.part(of: handle) {
                        left.append(part)
                        var lines = left.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                        left = Data(lines.removeLast())
                        for line in lines { continuation.yield(String(decoding: line, as: UTF8.self)) }
                    }
                    if !left.isEmpty { continuation.yield(String(decoding: left, as: UTF8.self)) }
                    continuation.finish()
                }
                lines = stream
                return stream
            }
        }
    }
#endif
