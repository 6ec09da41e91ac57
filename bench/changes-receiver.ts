/**
 * Whoever is told of changes, as a process of its own: takes every POST at once. `GET` answers what
 * came so far: how many, how many different ones, and their severities in the order of arrival.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

const different = new Set<string>();
const runs: { severity: string; changes: number }[] = [];
let received = 0;

async function take(request: IncomingMessage): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { severity: string } };
  received += 1;
  different.add(String(request.headers['webhook-id']));
  const last = runs.at(-1);
  if (last?.severity === data.severity) last.changes += 1;
  else runs.push({ severity: data.severity, changes: 1 });
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ received, different: different.size, runs }));
    return;
  }
  void take(request).then(() => response.writeHead(200).end());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
