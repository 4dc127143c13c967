// A notice board, the external system: PUT /NAME stores a text, DELETE /NAME deletes it, GET /
// lists all. It remembers the highest token of each name and refuses requests with a lower one.
import { createServer } from "node:http";

const notices = new Map();
const tokens = new Map();

async function answerTo(request) {
  const name = request.url.slice(1);
  const text = Buffer.concat(await request.toArray()).toString();
  const token = Number(request.headers["x-token"] ?? 0);
  if (request.method === "GET") return [200, [...notices.values()].join("\n")];
  if (token < (tokens.get(name) ?? 0)) return [409, "a newer token was used"];
  if (text.length > 40) return [422, "there is room for 40 characters"];
  tokens.set(name, token);
  if (request.method === "PUT") notices.set(name, text);
  else notices.delete(name);
  return [200, "thank you"];
}

async function handle(request, response) {
  const [status, text] = await answerTo(request);
  response.writeHead(status).end(`${text}\n`);
}

createServer((request, response) => void handle(request, response)).listen(8099, "127.0.0.1");
console.log("the board is up");
