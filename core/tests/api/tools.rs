//! Tools: what they take, what they give, and how they fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use omniport::api::{App, Context, Json, Level, NoArguments, Server, Text, ToolError, ToolSpec};
use omniport::types;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::{Client, text};

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

fn adder() -> Server {
    Server::new("demo").tool("add", "Add two numbers.", |add: Add, _cx| async move { Ok(add.a + add.b) })
}

/// A server with one tool that does as it is told.
fn one<F, Fut, R>(handler: F) -> App
where
    F: Fn(NoArguments, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, ToolError>> + Send + 'static,
    R: omniport::api::IntoToolResult,
{
    Server::new("demo").tool("it", "", handler).build().unwrap()
}

#[test]
fn a_handler_that_is_ready_answers_before_the_message_is_done() {
    let app = adder().build().unwrap();
    let mut client = Client::modern(&app);
    client.request("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 2}}));
    let answer = client.now();
    assert_eq!(answer["result"]["structuredContent"], 3);
    assert_eq!(text(&answer["result"]), "3");
}

#[tokio::test]
async fn a_handler_that_waits_answers_later_and_holds_nobody_up() {
    let gate = Arc::new(Notify::new());
    let opened = Arc::clone(&gate);
    let app = adder()
        .tool("wait", "", move |_: NoArguments, _cx| {
            let gate = Arc::clone(&gate);
            async move {
                gate.notified().await;
                Ok("done")
            }
        })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    let id = client.request("tools/call", json!({"name": "wait"}));
    assert_eq!(client.call("add", json!({"a": 1, "b": 1})).await["structuredContent"], 2);
    opened.notify_one();
    let answer = client.next().await;
    assert_eq!((answer["id"].as_i64(), text(&answer["result"])), (Some(id), "done"));
}

#[test]
fn without_a_runtime_around_a_waiting_handler_still_ends() {
    let app = one(|_, _| async {
        tokio::task::yield_now().await;
        tokio::spawn(async {}).await?;
        Ok("done")
    });
    let mut client = Client::modern(&app);
    client.request("tools/call", json!({"name": "it"}));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(text(&runtime.block_on(client.result())), "done");
}

#[tokio::test]
async fn schemas_come_from_the_types() {
    let app = Server::new("demo")
        .tool("add", "Add two numbers.", |add: Add, _| async move { Ok(Sum { sum: add.a + add.b }) })
        .tool("nothing", "", |_: NoArguments, _| async { Ok(()) })
        .tool("text", "", |_: NoArguments, _| async { Ok(Text("only text")) })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    let list = client.ask("tools/list", json!({})).await;
    let add = &list["tools"][0];
    assert_eq!(add["description"], "Add two numbers.");
    assert_eq!(add["inputSchema"]["required"], json!(["a", "b"]));
    assert_eq!(add["inputSchema"].get("title"), None);
    assert_eq!(add["outputSchema"]["properties"]["sum"]["type"], "integer");
    assert_eq!(list["tools"][1].get("outputSchema"), None);
    assert_eq!(list["tools"][2].get("outputSchema"), None);
    assert_eq!(client.call("add", json!({"a": 1, "b": 2})).await["structuredContent"], json!({"sum": 3}));
    let nothing = client.call("nothing", json!({})).await;
    assert_eq!((&nothing["content"], nothing.get("structuredContent")), (&json!([]), None));
    let only = client.call("text", json!({})).await;
    assert_eq!((text(&only), only.get("structuredContent")), ("only text", None));
}

#[tokio::test]
async fn results_of_every_sort() {
    let app = Server::new("demo")
        .tool("string", "", |_: NoArguments, _| async { Ok("hi".to_owned()) })
        .tool("none", "", |_: NoArguments, _| async { Ok(None::<i64>) })
        .tool("list", "", |_: NoArguments, _| async { Ok(vec![1, 2]) })
        .tool("json", "", |_: NoArguments, _| async { Ok(Json(json!({"any": "thing"}))) })
        .tool("image", "", |_: NoArguments, _| async { Ok(types::ImageContent::new("AA==", "image/png")) })
        .tool("whole", "", |_: NoArguments, _| async {
            let mut result = types::CallToolResult::new(vec![types::TextContent::new("no").into()]);
            result.is_error = Some(true);
            Ok(result)
        })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    let string = client.call("string", json!({})).await;
    assert_eq!((text(&string), &string["structuredContent"]), ("hi", &json!("hi")));
    assert_eq!(client.call("none", json!({})).await.get("structuredContent"), Some(&Value::Null));
    assert_eq!(client.call("list", json!({})).await["structuredContent"], json!([1, 2]));
    assert_eq!(client.call("json", json!({})).await["structuredContent"], json!({"any": "thing"}));
    assert_eq!(client.call("image", json!({})).await["content"][0]["type"], "image");
    assert_eq!(client.call("whole", json!({})).await["isError"], true);
    let mut legacy = Client::legacy(&app).await;
    assert_eq!(legacy.call("list", json!({})).await["structuredContent"], json!({"result": [1, 2]}));
}

#[tokio::test]
async fn wrong_arguments_are_a_result_that_names_the_fault() {
    // What no schema says, as `deny_unknown_fields` and `try_from` do not always, the type's own decoding still finds.
    #[derive(Deserialize, JsonSchema)]
    #[serde(try_from = "i64")]
    #[schemars(with = "i64")]
    struct Even;
    impl TryFrom<i64> for Even {
        type Error = &'static str;
        fn try_from(value: i64) -> Result<Self, Self::Error> {
            if value % 2 == 0 { Ok(Self) } else { Err("the number is odd") }
        }
    }
    #[derive(Deserialize, JsonSchema)]
    struct Halve {
        #[serde(rename = "number")]
        _number: Even,
    }
    let app = adder().tool("halve", "", |_: Halve, _| async { Ok(()) }).build().unwrap();
    let mut client = Client::modern(&app);
    let result = client.call("add", json!({"a": "one"})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains('a') && text(&result).contains('b'), "{result}");
    let result = client.call("halve", json!({"number": 3})).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("the number is odd"), "{result}");
}

#[tokio::test]
async fn failures_reach_whom_they_are_meant_for() {
    let app = Server::new("demo")
        .mask_errors(true)
        .tool("meant", "", |_: NoArguments, _| async { Err::<(), _>(ToolError::new("try Tuesday")) })
        .tool("fault", "", |_: NoArguments, _| async { Ok(std::fs::read_to_string("/no/such/secret")?) })
        .tool("protocol", "", |_: NoArguments, _| async {
            Err::<(), _>(ToolError::protocol(-32042, "later", json!({"wait": 5})))
        })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    let meant = client.call("meant", json!({})).await;
    assert_eq!((text(&meant), &meant["isError"]), ("try Tuesday", &json!(true)));
    assert_eq!(text(&client.call("fault", json!({})).await), "Error executing tool fault");
    client.request("tools/call", json!({"name": "protocol"}));
    assert_eq!(client.next().await["error"], json!({"code": -32042, "message": "later", "data": {"wait": 5}}));
}

#[tokio::test]
async fn a_panic_fails_one_call_wherever_it_happens() {
    let app = adder()
        .tool("first", "", |_: NoArguments, _| async { if true { panic!("at once") } else { Ok(()) } })
        .tool("later", "", |_: NoArguments, _| async {
            tokio::task::yield_now().await;
            if true { panic!("later") } else { Ok(()) }
        })
        .blocking_tool("thread", "", |_: NoArguments, _| if true { panic!("elsewhere") } else { Ok(()) })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    for tool in ["first", "later", "thread"] {
        let result = client.call(tool, json!({})).await;
        assert_eq!((text(&result), &result["isError"]), ("the handler panicked", &json!(true)));
    }
    assert_eq!(client.call("add", json!({"a": 1, "b": 1})).await["structuredContent"], 2);
}

#[tokio::test]
async fn cancellation_drops_the_handler_and_tells_its_tasks() {
    struct SetOnDrop(Arc<AtomicBool>);
    impl Drop for SetOnDrop {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let app = one(move |_, cx| {
        let guard = SetOnDrop(Arc::clone(&flag));
        let tell = tell.lock().unwrap().take().unwrap();
        tokio::spawn({
            let cx = cx.clone();
            async move {
                cx.cancelled().await;
                tell.send(cx.is_cancelled()).unwrap();
            }
        });
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
            Ok(())
        }
    });
    let mut client = Client::modern(&app);
    let id = client.request("tools/call", json!({"name": "it"}));
    tokio::task::yield_now().await;
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert!(told.await.unwrap());
    tokio::task::yield_now().await;
    assert!(dropped.load(Ordering::SeqCst));
    assert!(client.is_silent());
}

#[tokio::test]
async fn a_client_that_leaves_cancels_what_runs() {
    let (tell, told) = tokio::sync::oneshot::channel::<()>();
    let tell = std::sync::Mutex::new(Some(tell));
    let app = one(move |_, _| {
        // Held by the handler: dropped with it.
        let tell = tell.lock().unwrap().take();
        async move {
            std::future::pending::<()>().await;
            drop(tell);
            Ok(())
        }
    });
    let mut client = Client::modern(&app);
    client.request("tools/call", json!({"name": "it"}));
    client.close();
    assert!(told.await.is_err());
}

#[tokio::test]
async fn a_call_that_is_answered_ends_the_wait_of_its_tasks() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let app = one(move |_, cx: Context| {
        let tell = tell.lock().unwrap().take().unwrap();
        tokio::spawn(async move {
            cx.cancelled().await;
            tell.send(()).unwrap();
        });
        async {
            tokio::task::yield_now().await;
            Ok(())
        }
    });
    Client::modern(&app).call("it", json!({})).await;
    told.await.unwrap();
}

#[tokio::test]
async fn a_blocking_handler_blocks_its_own_thread_only() {
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = std::sync::Mutex::new(gate);
    let app = adder()
        .blocking_tool("block", "", move |_: NoArguments, _| {
            gate.lock().unwrap().recv()?;
            Ok("unblocked")
        })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    client.request("tools/call", json!({"name": "block"}));
    assert_eq!(client.call("add", json!({"a": 1, "b": 1})).await["structuredContent"], 2);
    open.send(()).unwrap();
    assert_eq!(text(&client.result().await), "unblocked");
}

#[tokio::test]
async fn raw_tools_take_the_text_as_it_is() {
    let schema = json!({"type": "object", "properties": {"big": {"type": "integer"}}, "required": ["big"]});
    let spec = ToolSpec::new("raw").title("Raw").output_schema(json!({"type": "object"})).read_only();
    let app = Server::new("demo")
        .raw_tool(spec, schema.clone(), |arguments: Box<RawValue>, _| async move { Ok(Json(arguments)) })
        .build()
        .unwrap();
    let mut client = Client::modern(&app);
    let tool = client.ask("tools/list", json!({})).await["tools"][0].take();
    assert_eq!((&tool["inputSchema"], &tool["outputSchema"]), (&schema, &json!({"type": "object"})));
    assert_eq!((&tool["title"], &tool["annotations"]["readOnlyHint"]), (&json!("Raw"), &json!(true)));
    let result = client.call("raw", json!({"big": 9_007_199_254_740_993_i64})).await;
    assert_eq!(result["structuredContent"]["big"], 9_007_199_254_740_993_i64);
}

#[tokio::test]
async fn progress_and_logs_come_before_the_answer() {
    let app = one(|_, cx: Context| async move {
        cx.progress(1.0, Some(2.0), Some("half"));
        cx.log(Level::Warning, json!({"disk": "full"}));
        cx.log(Level::Debug, "not wanted");
        Ok(())
    });
    let mut client = Client::modern(&app);
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "info"});
    client.request("tools/call", json!({"name": "it", "_meta": meta}));
    let progress = client.next().await;
    assert_eq!(progress["params"], json!({"progressToken": "p", "progress": 1, "total": 2, "message": "half"}));
    assert_eq!(client.next().await["params"], json!({"level": "warning", "data": {"disk": "full"}}));
    client.result().await;
}

#[tokio::test]
async fn a_handler_knows_its_request() {
    let app = one(|_, cx: Context| async move {
        let request = cx.request();
        Ok(json!({
            "version": cx.protocol_version(),
            "client": cx.client().map(|client| client.name),
            "meta": cx.meta().get("vendor/key"),
            "resumed": request.resumed,
            "can_sample": request.capabilities.is_some_and(|capabilities| capabilities.sampling.is_some()),
        }))
    });
    let mut client = Client::modern(&app);
    let meta = json!({"vendor/key": 7, "io.modelcontextprotocol/clientInfo": {"name": "me", "version": "1"}});
    let result = client.ask("tools/call", json!({"name": "it", "_meta": meta})).await;
    assert_eq!(
        result["structuredContent"],
        json!({"version": "2026-07-28", "client": "me", "meta": 7, "resumed": false, "can_sample": true})
    );
    let legacy = Client::legacy(&app).await.call("it", json!({})).await;
    assert_eq!(legacy["structuredContent"]["client"], "test");
}
