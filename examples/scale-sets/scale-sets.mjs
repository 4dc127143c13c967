// A service that keeps sets of machines, as some clouds do. It knows nothing of Setpoint. PUT
// creates or replaces a set and continues after its response, PATCH changes some fields, DELETE
// removes the set, and /instanceView returns the state of its machines. Its own autoscaler changes
// sku.capacity at any time: POST /autoscaler/NAME simulates it. Every write is printed.
//
//   node scale-sets.mjs [PORT [FILE]]: with FILE, it has its sets again after a restart
import { createServer } from "node:http";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const port = Number(process.argv[2] ?? 8090);
const secondsOfWork = 1;
const file = process.argv[3];
const sets = new Map(file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file)) : []);
const operations = new Map();
const document = readFileSync(new URL("openapi.yaml", import.meta.url));
let lastNumber = Math.max(0, ...[...sets.values()].map((set) => set.properties.uniqueId));
// What was running when the service ended has ended as well.
for (const set of sets.values()) set.properties.provisioningState = "Succeeded";

const routes = [
  ["GET", /^\/openapi\.yaml$/, () => answer(200, document, { "content-type": "text/yaml" })],
  ["GET", /^\/scaleSets$/, () => answer(200, { value: [...sets.values()] })],
  ["GET", /^\/scaleSets\/([^/]+)$/, (name) => found(name, (set) => answer(200, set))],
  ["PUT", /^\/scaleSets\/([^/]+)$/, put],
  ["PATCH", /^\/scaleSets\/([^/]+)$/, patch],
  ["DELETE", /^\/scaleSets\/([^/]+)$/, remove],
  ["GET", /^\/scaleSets\/([^/]+)\/instanceView$/, (name) => found(name, instanceView)],
  ["GET", /^\/operations\/([^/]+)$/, (id) => answer(200, operations.get(id) ?? { status: "Gone" })],
  ["POST", /^\/autoscaler\/([^/]+)$/, scale],
];

function put(name, body, host) {
  const old = sets.get(name);
  if (isBusy(old)) return refuse(409, "OperationInProgress", "Something else is being done to it.");
  const wanted = without(body, "id", "name");
  if (wanted.location === undefined) return refuse(400, "LocationRequired", "Say where it is.");
  if (old !== undefined && wanted.location !== old.location) {
    return refuse(400, "PropertyChangeNotAllowed", "location cannot be changed.");
  }
  const number = old?.properties.uniqueId ?? ++lastNumber;
  const set = {
    id: `/scaleSets/${name}`,
    name,
    location: wanted.location,
    tags: wanted.tags ?? {},
    sku: { capacity: 1, tier: "Standard", ...wanted.sku },
    properties: {
      overprovision: true,
      ...without(wanted.properties, "adminPassword", "provisioningState"),
      uniqueId: number,
    },
  };
  sets.set(name, set);
  const headers = work(set, old === undefined ? "Creating" : "Updating", "Succeeded", host);
  return answer(old === undefined ? 201 : 200, set, headers);
}

function patch(name, body) {
  return found(name, (set) => {
    if (isBusy(set)) return refuse(409, "OperationInProgress", "Something else is being done.");
    const unknown = Object.keys(body).filter((key) => key !== "tags" && key !== "sku");
    if (unknown.length > 0) return refuse(400, "InvalidParameter", `PATCH takes no ${unknown[0]}.`);
    set.tags = merged(set.tags, body.tags);
    set.sku = merged(set.sku, body.sku);
    return answer(200, set);
  });
}

function remove(name, _body, host) {
  const set = sets.get(name);
  if (set === undefined) return answer(204);
  if (isBusy(set)) return refuse(409, "OperationInProgress", "Something else is being done to it.");
  return answer(202, undefined, work(set, "Deleting", undefined, host));
}

/** A long operation: the response has the URL of its status. */
function work(set, during, afterwards, host) {
  const id = `operation-${++lastNumber}`;
  set.properties.provisioningState = during;
  operations.set(id, { status: "InProgress" });
  setTimeout(() => {
    operations.set(id, { status: "Succeeded" });
    if (afterwards === undefined) sets.delete(set.name);
    else set.properties.provisioningState = afterwards;
    save();
  }, secondsOfWork * 1000);
  const address = `http://${host}/operations/${id}`;
  return { "azure-asyncoperation": address, "retry-after": String(secondsOfWork) };
}

function instanceView(set) {
  const code = isBusy(set) ? "ProvisioningState/updating" : "ProvisioningState/succeeded";
  return answer(200, { virtualMachine: { statusesSummary: [{ code, count: set.sku.capacity }] } });
}

function scale(name, { capacity }) {
  return found(name, (set) => {
    set.sku = { ...set.sku, capacity };
    return answer(200, { capacity });
  });
}

function isBusy(set) {
  return set !== undefined && set.properties.provisioningState !== "Succeeded";
}

/** Ignores read-only fields, so that a client can send back what it read. */
function without(object = {}, ...names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function merged(old, changes = {}) {
  const all = Object.entries({ ...old, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

function found(name, use) {
  const set = sets.get(name);
  return set === undefined ? refuse(404, "ResourceNotFound", `There is no ${name}.`) : use(set);
}

function refuse(status, code, message) {
  return answer(status, { error: { code, message } });
}

function answer(status, body, headers = {}) {
  return { status, body, headers: { "content-type": "application/json", ...headers } };
}

async function handle(request, response) {
  const text = Buffer.concat(await request.toArray()).toString();
  const { pathname } = new URL(request.url, "http://any");
  if (request.method !== "GET") console.log(`${request.method} ${pathname} ${hidden(text)}`.trim());
  for (const [method, path, serve] of routes) {
    const [whole, part] = path.exec(pathname) ?? [];
    if (whole === undefined || method !== request.method) continue;
    const { status, body, headers } = serve(
      part,
      text === "" ? {} : JSON.parse(text),
      request.headers.host,
    );
    if (method !== "GET") save();
    const raw = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return response.writeHead(status, headers).end(raw);
  }
  return response.writeHead(404).end();
}

/** A reader finds the old file or the new one, also when the service ends in the middle. */
function save() {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify([...sets]));
  renameSync(`${file}.new`, file);
}

function hidden(text) {
  return text.replace(/("adminPassword":)"[^"]*"/, '$1"***"');
}

createServer((request, response) => void handle(request, response)).listen(
  port,
  "127.0.0.1",
  () => {
    console.log(`scale sets are kept at http://127.0.0.1:${port}`);
  },
);
