//! Handlers of the `input_required` scenarios: each question bears the name under which the scenario answers it.

use omniport::api::{Context, Elicited, NoArguments, Server, Text, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::forms::{question, text_of};

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Color {
    color: String,
}

/// A yes or no.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Confirmation {
    ok: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Value {
    value: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Background {
    context: String,
}

type Answer = Result<Text<String>, ToolError>;

/// Adds the tools and the prompt.
pub fn add(server: Server) -> Server {
    server
        .tool("test_input_required_result_elicitation", "Asks the user for a name.", elicitation)
        .tool("test_input_required_result_sampling", "Asks the client's model.", sampling)
        .tool("test_input_required_result_list_roots", "Asks for the client's roots.", roots)
        .tool(
            "test_input_required_result_request_state",
            "Asks for a confirmation; the sealed state comes back with the answer.",
            |_: NoArguments, cx| confirmed(cx, "state-ok"),
        )
        .tool(
            "test_input_required_result_tampered_state",
            "Asks for a confirmation; an altered state never gets here.",
            |_: NoArguments, cx| confirmed(cx, "integrity-ok"),
        )
        .tool("test_input_required_result_multiple_inputs", "Asks three questions at once.", multiple)
        .tool("test_input_required_result_multi_round", "Asks twice, one question after the other.", rounds)
        .tool("test_input_required_result_capabilities", "Asks only what the client can answer.", capabilities)
        .prompt("test_input_required_result_prompt", "Asks for a context to use in the prompt.", prompt)
}

fn name(answer: Elicited<Name>) -> String {
    answer.accepted().map_or_else(|| "stranger".to_owned(), |answer| answer.name)
}

async fn elicitation(_: NoArguments, cx: Context) -> Answer {
    Ok(Text(format!("Hello, {}!", name(cx.named("user_name").elicit("What is your name?").await?))))
}

async fn sampling(_: NoArguments, cx: Context) -> Answer {
    let sample = cx.named("capital_question").sample(question("What is the capital of France?", 100)).await?;
    Ok(Text(format!("Sampling result: {}", text_of(&sample))))
}

async fn roots(_: NoArguments, cx: Context) -> Answer {
    Ok(Text(format!("Found {} root(s)", cx.named("client_roots").list_roots().await?.len())))
}

async fn confirmed(cx: Context, word: &'static str) -> Answer {
    let answer = cx.named("confirm").elicit::<Confirmation>("Please confirm").await?.accepted();
    Ok(Text(if answer.is_some_and(|answer| answer.ok) { word } else { "not confirmed" }.to_owned()))
}

async fn multiple(_: NoArguments, cx: Context) -> Answer {
    let (user, greeter, opened) = (cx.named("user_name"), cx.named("greeting"), cx.named("client_roots"));
    let (user, greeting, roots) = tokio::try_join!(
        user.elicit::<Name>("What is your name?"),
        greeter.sample(question("Generate a greeting", 50)),
        opened.list_roots(),
    )?;
    Ok(Text(format!("Name: {}; Greeting: {}; Roots: {}", name(user), text_of(&greeting), roots.len())))
}

async fn rounds(_: NoArguments, cx: Context) -> Answer {
    let user = name(cx.named("step1").elicit("Step 1: What is your name?").await?);
    let answer = cx.named("step2").elicit::<Color>("Step 2: What is your favorite color?").await?.accepted();
    Ok(Text(format!("{user} likes {}", answer.map_or_else(|| "no color".to_owned(), |answer| answer.color))))
}

async fn capabilities(_: NoArguments, cx: Context) -> Answer {
    let declared = cx.request().capabilities.unwrap_or_default();
    let (user, model) = (cx.named("elicit_input"), cx.named("sample_input"));
    let ask_user = async {
        match declared.elicitation {
            Some(_) => user.elicit::<Value>("Which value?").await.map(Elicited::accepted),
            None => Ok(None),
        }
    };
    let ask_model = async {
        match declared.sampling {
            Some(_) => model.sample(question("Sample request", 50)).await.map(Some),
            None => Ok(None),
        }
    };
    let (value, sample) = tokio::try_join!(ask_user, ask_model)?;
    let sample = sample.map(|sample| text_of(&sample));
    Ok(Text(format!("The user chose {:?}, the model said {sample:?}", value.map(|value| value.value))))
}

async fn prompt(_: NoArguments, cx: Context) -> Result<String, ToolError> {
    let answer = cx.named("user_context").elicit::<Background>("What context should the prompt use?").await?.accepted();
    Ok(format!("Prompt with context: {}", answer.map_or_else(|| "none".to_owned(), |answer| answer.context)))
}
