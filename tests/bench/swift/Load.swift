import Foundation
import Omniport

/// Calls `add` for `warm` seconds and then for `seconds`, so many at once; each sum is checked, and one wrong one ends the run.
struct Load {
    let inFlight: Int
    let warm: Double
    let seconds: Double

    struct WrongSum: Error { let number: Int }

    /// What was measured, as a JSON object.
    func run(on url: String) async throws -> JSONValue {
        try await withClient(ClientTarget(stringLiteral: url)) { client in
            try await add(client, 1)
            let clock = ContinuousClock()
            let start = clock.now + .seconds(warm)
            let end = start + .seconds(seconds)
            let (latencies, used) = try await withThrowingTaskGroup(of: [Double].self) { group in
                for caller in 0..<inFlight {
                    group.addTask {
                        var latencies: [Double] = []
                        var number = caller * 1_000_000
                        while true {
                            let began = clock.now
                            if began >= end { return latencies }
                            try await add(client, number)
                            number += 1
                            if began >= start { latencies.append((clock.now - began) / .microseconds(1)) }
                        }
                    }
                }
                // The CPU time is counted from the end of the warm-up.
                try await Task.sleep(until: start, clock: clock)
                let before = cpuSeconds()
                var latencies: [Double] = []
                for try await some in group { latencies += some }
                return (latencies.sorted(), cpuSeconds() - before)
            }
            let taken = (clock.now - start) / .seconds(1)
            let count = max(latencies.count, 1)
            return [
                "per_second": .double(Double(latencies.count) / taken), "cpu_us": .double(used * 1_000_000 / Double(count)),
                "p50_us": .double(at(0.5, latencies)), "p99_us": .double(at(0.99, latencies)),
            ]
        }
    }

    private func add(_ client: Client, _ number: Int) async throws {
        let result = try await client.callTool("add", ["a": JSONValue(number), "b": 1])
        guard case .text(let block)? = result.content.first, block.text == String(number + 1) else { throw WrongSum(number: number) }
    }

    private func at(_ part: Double, _ latencies: [Double]) -> Double {
        latencies.isEmpty ? 0 : latencies[min(Int(Double(latencies.count) * part), latencies.count - 1)]
    }

    private func cpuSeconds() -> Double {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1_000_000_000
    }
}
