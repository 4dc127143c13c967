/** The raw limit of HTTP here: Node's own server over TLS, which answers everything at once. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Key and certificate in one file. */
const pem = readFileSync(process.argv[2] ?? "");
const body = Buffer.from(JSON.stringify({ kind: "Status", status: "Success" }));
const server = createServer({ key: pem, cert: pem }, (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening ${(server.address() as AddressInfo).port}`);
});
