import Omniport

/// Tools by what they send while they run: log messages, progress, changed lists, an early end of the stream.
func addStreams(to app: Server) {
    app.tool("test_tool_with_logging", "Sends three log messages.") { (cx: Context) in
        cx.log(.info, "Tool execution started")
        cx.log(.info, "Tool processing data")
        cx.log(.info, "Tool execution completed")
        return "Tool with logging executed successfully"
    }
    app.tool("test_logging_tool", "Sends a log message, which only callers that asked for messages may see.") { (cx: Context) in
        cx.log(.info, "Diagnostic message")
        return "Logging evaluated"
    }
    app.tool("test_tool_with_progress", "Reports progress three times.") { (cx: Context) in
        for done in [0.0, 50, 100] { cx.progress(done, total: 100, message: "Completed step \(Int(done)) of 100") }
        return "Tool with progress executed successfully"
    }
    app.tool(
        "test_reconnection", "Ends its event stream before it answers, so that the client has to come back for the answer."
    ) { (cx: Context) in
        cx.closeStream()
        try await Task.sleep(for: .milliseconds(100))
        return "Reconnection test completed successfully"
    }
    app.tool("test_streaming_elicitation", "Reports progress and then asks the user.") { (cx: Context) in
        cx.progress(50, total: 100)
        struct Consent: Decodable { let goOn: Bool }
        switch try await cx.elicit("May the tool go on?", Consent.self) {
        case .accept: return "The user said accept"
        case .decline: return "The user said decline"
        case .cancel: return "The user said cancel"
        }
    }
    addChanges(to: app)
}

/// Registering a name again replaces what it named, and clients are told that the list has changed.
private func addChanges(to app: Server) {
    @Sendable func addTool() {
        app.tool("test_replaceable_tool", "Is registered anew by test_trigger_tool_change.") { "Still here" }
    }
    @Sendable func addPrompt() {
        app.prompt("test_replaceable_prompt", "Is registered anew by test_trigger_prompt_change.") { "Still here" }
    }
    addTool()
    addPrompt()
    app.tool("test_trigger_tool_change", "Changes the list of tools.") {
        addTool()
        return "The tools have changed"
    }
    app.tool("test_trigger_prompt_change", "Changes the list of prompts.") {
        addPrompt()
        return "The prompts have changed"
    }
}
