"""Rounds of input that the caller drives, also in another process."""

import json
import subprocess
import sys

import servers
from omniport import Client, types

ANSWER = {"action": "accept", "content": {"name": "Ada"}}
AGAIN = """
import json, sys
from omniport import Client
command, responses, state = json.loads(sys.argv[1])
with Client(command, era="modern", capabilities={"elicitation": {}}) as client:
    result = client.by_hand.call_tool("ask", input_responses=responses, request_state=state)
    print(result.content[0].text)
"""


def test_by_hand(run):
    async def main():
        async with Client(servers.loaded(), era="modern", capabilities={"elicitation": {}}) as client:
            asked = await client.by_hand.call_tool("ask")
            assert isinstance(asked, types.InputRequiredResult) and asked.input_requests
            (key, request), *_ = asked.input_requests.items()
            assert request.method == "elicitation/create"
            result = await client.by_hand.call_tool("ask", input_responses={key: ANSWER}, request_state=asked.request_state)
            assert isinstance(result, types.CallToolResult)
            assert result.content[0].text == "accept {'name': 'Ada'}"
            assert isinstance(await client.by_hand.call_tool("pid"), types.CallToolResult)
            assert isinstance(await client.by_hand.get_prompt("greet", {"name": "Ada"}), types.GetPromptResult)
            assert isinstance(await client.by_hand.read_resource("text://me"), types.ReadResourceResult)

    run(main)


def test_another_process_goes_on(tmp_path):
    # The state is sealed by keys that both processes of the server know; the second one replays the handler.
    source = servers.DEMO.replace('Server("demo", "1.0")', 'Server("demo", "1.0", state_keys=[bytes(32)])')
    command = servers.written(tmp_path, "demo.py", source)
    with Client(command, era="modern", capabilities={"elicitation": {}}) as client:
        asked = client.by_hand.call_tool("ask")
        assert isinstance(asked, types.InputRequiredResult)
    responses = dict.fromkeys(asked.input_requests, ANSWER)
    given = json.dumps([command, responses, asked.request_state])
    done = subprocess.run([sys.executable, "-c", AGAIN, given], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "accept {'name': 'Ada'}", done.stderr
