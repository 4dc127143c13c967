// A service that runs applications, the external system of this example:
//
//   PUT /apps/NAME         {"image": …, "replicas": …} runs an application, or changes it
//   GET /apps/NAME         the application
//   GET /apps/NAME/health  200 while it is healthy
//   DELETE /apps/NAME      stops it
//   GET /apps              all of them, one per line
//
//   node deployer.mjs [PORT [FILE]]: with FILE, it knows its applications again after a restart
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [, , port = "8092", file] = process.argv;
const apps = new Map(file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file)) : []);

async function answerTo(request) {
  const [, , name, part] = request.url.split("/");
  const app = apps.get(name);
  if (name === undefined) return [200, [...apps.values()].map(lineOf).join("\n")];
  switch (request.method) {
    case "PUT": {
      const { image, replicas } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      if (!/^shop:[\w.-]+$/.test(image)) return [422, { error: `there is no image ${image}` }];
      const address = `http://127.0.0.1:${port}/apps/${name}`;
      apps.set(name, { name, image, replicas, address });
      return [200, apps.get(name)];
    }
    case "DELETE":
      apps.delete(name);
      return [200, {}];
    default:
      if (app === undefined) return [404, { error: `there is no application ${name}` }];
      return [200, part === "health" ? { healthy: true } : app];
  }
}

/** A reader finds the old file or the new one, also when the service ends in the middle. */
function save() {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify([...apps]));
  renameSync(`${file}.new`, file);
}

function lineOf({ name, image, replicas }) {
  return `${name}: ${replicas} x ${image}`;
}

async function handle(request, response) {
  const [status, body] = await answerTo(request);
  if (request.method !== "GET") save();
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(`${text}\n`);
}

createServer((request, response) => void handle(request, response)).listen(
  Number(port),
  "127.0.0.1",
  () => console.log("the deployer is ready"),
);
