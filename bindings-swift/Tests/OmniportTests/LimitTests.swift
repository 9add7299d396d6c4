import Testing

@testable import Omniport

@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    @Test func theEngineKnowsEachName() throws {
        let engine = try TestServer().engine
        let limits: [Limit] = [
            .messageBytes, .jsonDepth, .tokenBytes, .uriBytes, .inFlight, .parked, .parkedFor, .requestStateFor,
            .sessions, .sessionsPerPrincipal, .sessionIdle, .subscriptions, .queuedBytes, .replayEvents, .schemaBytes, .schemaDepth,
            .schemaCost, .headerBytes, .keepAlive, .inputFor, .shutdownGrace, .callFor, .callTotal, .connectFor,
            .probeFor, .inputRounds, .listPages, .listItems, .listBytes, .childExit, .recoverTries, .recoverWait,
            .recoverWaitMax, .pingEvery, .pingFor, .dialFor, .redirects, .cacheBytes, .refreshAfter, .hostEvents,
        ]
        for limit in limits { #expect(throws: Never.self, "\(limit.rawValue)") { try engine.limit(name: limit.rawValue) } }
        #expect(throws: (any Error).self) { try engine.limit(name: "patience") }
    }
}
