//! Tools by what they send while they run: log messages, progress, changed lists, an early end of the stream.

use std::time::Duration;

use omniport::api::{App, Context, NoArguments, Offer, PromptSpec, Server, Text, ToolError, ToolSpec};
use omniport::error::Result;

use super::questions::Confirmation;

/// How long `test_reconnection` goes on after its stream has ended.
const RECONNECT: Duration = Duration::from_millis(100);

/// Adds the tools.
pub fn add(server: Server) -> Server {
    server
        .tool("test_tool_with_logging", "Sends three log messages.", |_: NoArguments, cx: Context| async move {
            for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                cx.info(text);
            }
            Ok(Text("Tool with logging executed successfully"))
        })
        .tool(
            "test_logging_tool",
            "Sends a log message, which only callers that asked for messages may see.",
            |_: NoArguments, cx: Context| async move {
                cx.info("Diagnostic message");
                Ok(Text("Logging evaluated"))
            },
        )
        .tool("test_tool_with_progress", "Reports progress three times.", |_: NoArguments, cx: Context| async move {
            for done in [0, 50, 100] {
                cx.progress(f64::from(done), Some(100.0), Some(&format!("Completed step {done} of 100")));
            }
            Ok(Text("Tool with progress executed successfully"))
        })
        .tool(
            "test_reconnection",
            "Ends its event stream before it answers, so that the client has to come back for the answer.",
            |_: NoArguments, cx: Context| async move {
                cx.close_stream();
                tokio::time::sleep(RECONNECT).await;
                Ok(Text("Reconnection test completed successfully"))
            },
        )
        .tool(
            "test_streaming_elicitation",
            "Reports progress and then asks the user.",
            |_: NoArguments, cx: Context| async move {
                cx.progress(50.0, Some(100.0), None);
                let answer = cx.elicit::<Confirmation>("May the tool go on?").await?;
                Ok(Text(format!("The user said {answer:?}")))
            },
        )
}

/// Adds the tools that change what `app` offers. To offer a name again replaces it, and clients are told that the list has changed.
pub fn add_changing(app: &App) -> Result<()> {
    let (tools, prompts) = (app.clone(), app.clone());
    let change_tools = move |_: NoArguments, _: Context| {
        let changed = tools.add(replaceable_tool());
        async move { changed.map(|()| Text("The tools have changed")).map_err(ToolError::from) }
    };
    let change_prompts = move |_: NoArguments, _: Context| {
        let changed = prompts.add(replaceable_prompt());
        async move { changed.map(|()| Text("The prompts have changed")).map_err(ToolError::from) }
    };
    app.change(|changes| {
        changes.add(replaceable_tool()).add(replaceable_prompt());
        changes.add(Offer::tool(
            ToolSpec::new("test_trigger_tool_change").description("Changes the list of tools."),
            change_tools,
        ));
        changes.add(Offer::tool(
            ToolSpec::new("test_trigger_prompt_change").description("Changes the list of prompts."),
            change_prompts,
        ));
    })
}

fn replaceable_tool() -> Offer {
    let spec = ToolSpec::new("test_replaceable_tool").description("Is offered anew by test_trigger_tool_change.");
    Offer::tool(spec, |_: NoArguments, _| async { Ok(Text("Still here")) })
}

fn replaceable_prompt() -> Offer {
    let spec = PromptSpec::new("test_replaceable_prompt").description("Is offered anew by test_trigger_prompt_change.");
    Offer::prompt(spec, |_: NoArguments, _| async { Ok("Still here") })
}
