// A service that runs applications, the external system of this example:
//
//   PUT /apps/NAME         {"image": …, "replicas": …} runs an application, or changes it
//   GET /apps/NAME         the application
//   GET /apps/NAME/health  200 while it is healthy
//   DELETE /apps/NAME      stops it
//   GET /apps              all of them, one per line
import { createServer } from "node:http";

const port = 8092;
const apps = new Map();

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

function lineOf({ name, image, replicas }) {
  return `${name}: ${replicas} x ${image}`;
}

async function handle(request, response) {
  const [status, body] = await answerTo(request);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json" }).end(`${text}\n`);
}

createServer((request, response) => void handle(request, response)).listen(port, "127.0.0.1");
console.log("the deployer is ready");
