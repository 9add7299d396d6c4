// The floors in Node: one `JSON.parse` of the message, one formatted answer. No protocol, no checks, no tools.
// `floor.mjs stdio` is a bare loop over the lines; `floor.mjs http PORT` a bare `node:http` server.
import { createServer } from 'node:http';

const INITIALIZE = '"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"floor","version":"0"}';

function answer(text) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return '';
  if (method === 'initialize') return `{"jsonrpc":"2.0","id":${id},"result":{${INITIALIZE}}}`;
  const sum = params.arguments.a + params.arguments.b;
  return `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${sum}"}],"structuredContent":{"result":${sum}}}}`;
}

function stdio() {
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    let answers = '';
    for (const line of lines) {
      const text = answer(line);
      if (text !== '') answers += `${text}\n`;
    }
    if (answers !== '') process.stdout.write(answers);
  });
}

function http(port) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const text = answer(body);
      response.writeHead(text === '' ? 202 : 200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
  server.listen(port, '127.0.0.1');
}

const [, , transport, port] = process.argv;
if (transport === 'stdio') stdio();
else http(Number(port));
