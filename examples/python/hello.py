"""The smallest server. `python hello.py` serves stdio; register that command with any MCP host."""

from omniport import Server

app = Server("hello")


@app.tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


if __name__ == "__main__":
    app.run()  # app.run("http", port=8000) serves http://127.0.0.1:8000/mcp
