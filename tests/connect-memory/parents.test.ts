// Objects in others: shelves with books, whose ids the service gives. A shelf may be made anew, be
// deleted and declared again, or be forgotten by the one who declares a book.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import {
  connectSchema,
  managedStatusSchema,
} from "../../src/modules/connect/kinds/managed-schema.ts";
import {
  bookOf,
  conditionOf,
  connectVersion,
  messageOf,
  openMemoryConnect,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const group = "library.example.dev";
const shelvesKind = `shelves.${group}`;

const operations = {
  read: { method: "GET" },
  list: { method: "GET" },
  create: { method: "POST" },
  replace: { method: "PUT" },
  delete: { method: "DELETE" },
} as const;

interface Library extends AsyncDisposable {
  readonly connect: MemoryConnect;
  readonly makeShelf: (name: string, spec: JsonObject, more?: JsonObject) => Promise<void>;
  readonly changeShelf: (name: string, patch: JsonObject) => Promise<void>;
  readonly removeShelf: (name: string) => Promise<void>;
  readonly pathOfShelf: (name: string) => Promise<string>;
  /** Paths of all books that the service has. */
  readonly books: () => readonly string[];
}

/** Things are books; a shelf that is deleted takes its books with it. */
async function openLibrary(): Promise<Library> {
  const connect = await openMemoryConnect({
    binding: {
      item: "/shelves/{shelfId}/books/{id}",
      collection: "/shelves/{shelfId}/books",
      parent: { kind: shelvesKind, path: "/shelves/{shelfId}" },
      identity: { kind: "server", field: "/id", parameter: "id" },
      operations,
    },
  });
  const { memory, service } = connect;
  let last = 0;
  service.nextId = () => String((last += 1));
  service.interfere = ({ method, path }) => {
    if (method !== "DELETE") return undefined;
    for (const at of service.objects.keys()) {
      if (at.startsWith(`${path}/`)) service.objects.delete(at);
    }
    return undefined;
  };
  await memory.create(shelfDefinition);
  await memory.create(shelfRestKind);
  await connect.pass(120_000);
  const apiVersion = `${group}/v1`;
  const at = (name: string) => ({ apiVersion, kind: "Shelve", namespace: "default", name });
  return {
    connect,
    makeShelf: async (name, spec, more = {}) => {
      const metadata = { name, namespace: "default" };
      await memory.create({ apiVersion, kind: "Shelve", metadata, spec, connect: more });
    },
    changeShelf: async (name, patch) => {
      await memory.patch(at(name), patch);
    },
    removeShelf: async (name) => {
      await memory.remove(at(name));
    },
    pathOfShelf: async (name) => textAt(bookOf(await memory.read(at(name))), "path"),
    books: () => [...service.objects.keys()].filter((path) => path.includes("/books/")),
    [Symbol.asyncDispose]: async () => await connect[Symbol.asyncDispose](),
  };
}

const shelfRestKind = {
  apiVersion: connectVersion,
  kind: "RestKind",
  metadata: { name: shelvesKind },
  spec: {
    connection: "service",
    item: "/shelves/{shelfId}",
    collection: "/shelves",
    identity: { kind: "server", field: "/id", parameter: "shelfId" },
    operations,
    fields: [
      { path: "/id", class: "read-only", from: "override" },
      { path: "/room", class: "create-only", from: "override" },
    ],
    resyncSeconds: 600,
  },
};

const shelfDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: shelvesKind },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "shelves", kind: "Shelve" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              connect: connectSchema,
              status: managedStatusSchema,
            },
          },
        },
        subresources: { status: {} },
      },
    ],
  },
};

const onShelf = { parent: { name: "top" } };

it("makes a book on the shelf that was made anew, once, and by itself", async () => {
  await using library = await openLibrary();
  const { connect } = library;
  await library.makeShelf("top", { name: "top", room: "a" }, { replace: ["/room"] });
  await connect.make("book", { name: "book" }, onShelf);
  await connect.pass(10_000);
  const first = library.books();
  assert.equal(first.length, 1);
  assert.equal(conditionOf(await connect.read("book"), "Ready"), "True Available");

  await library.changeShelf("top", { spec: { room: "b" } });
  await connect.pass(30_000);
  const shelf = await library.pathOfShelf("top");
  const [book = "", ...more] = library.books();
  assert.deepEqual(more, []);
  assert.notEqual(book, first[0]);
  assert.ok(book.startsWith(`${shelf}/books/`), `${book} is not on ${shelf}`);
  const now = await connect.read("book");
  assert.equal(conditionOf(now, "Ready"), "True Available");
  assert.equal(textAt(bookOf(now), "path"), book);
});

it("waits, and says so, while the shelf of a book is gone, and is made on the next", async () => {
  await using library = await openLibrary();
  const { connect } = library;
  await library.makeShelf("top", { name: "top" });
  await connect.make("book", { name: "book" }, onShelf);
  await connect.pass(10_000);
  const writes = writesOf(connect.service).length;

  await library.removeShelf("top");
  await connect.pass(30_000);
  const waits = await connect.read("book");
  assert.equal(conditionOf(waits, "Ready"), "False Waiting");
  assert.match(messageOf(waits, "Ready"), /its parent shelves\.\S+ top does not exist/);
  const planned = await connect.plan("book");
  assert.equal(planned.action, "wait");
  assert.match(planned.message, /its parent shelves\.\S+ top does not exist/);
  // Nothing but the shelf was deleted, and nothing was made meanwhile.
  assert.equal(writesOf(connect.service).length, writes + 1);

  await library.makeShelf("top", { name: "top" });
  await connect.pass(30_000);
  const shelf = await library.pathOfShelf("top");
  const books = library.books();
  assert.equal(books.length, 1);
  assert.ok(books[0]?.startsWith(`${shelf}/books/`));
  assert.equal(conditionOf(await connect.read("book"), "Ready"), "True Available");
});

it("plans a book that is gone on the shelf as it is now", async () => {
  await using library = await openLibrary();
  const { connect } = library;
  await library.makeShelf("top", { name: "top" });
  await connect.make("book", { name: "book" }, onShelf);
  await connect.pass(10_000);
  // Only looked at: the runs of the book are held.
  await connect.change("book", { metadata: { annotations: { "setpoint.dev/paused": "true" } } });
  await library.removeShelf("top");
  await connect.pass(30_000);
  await library.makeShelf("top", { name: "top" });
  await connect.pass(30_000);
  const { afterwards } = await connect.plan("book");
  const shelf = await library.pathOfShelf("top");
  assert.equal(afterwards?.action, "create");
  assert.equal(textAt(afterwards?.request, "path"), `${shelf}/books`);
});

it("leaves a book that is still in its place, wherever its shelf is now", async () => {
  await using library = await openLibrary();
  const { connect } = library;
  await library.makeShelf("top", { name: "top", room: "a" }, { replace: ["/room"] });
  await connect.make("book", { name: "book" }, onShelf);
  await connect.pass(10_000);
  const before = library.books();
  connect.service.interfere = undefined;
  await library.changeShelf("top", { spec: { room: "b" } });
  await connect.pass(30_000);
  assert.deepEqual(library.books(), before);
  await connect.remove("book");
  await connect.pass(30_000);
  assert.deepEqual(library.books(), []);
});

it("finds a book on a shelf that was given another id, and makes no second one", async () => {
  await using library = await openLibrary();
  const { connect } = library;
  const { service, memory } = connect;
  await library.makeShelf("top", { name: "top" });
  await connect.make("book", { name: "book" }, onShelf);
  await connect.pass(10_000);
  const [old = ""] = library.books();
  const shelf = await library.pathOfShelf("top");
  const writes = writesOf(service).length;
  for (const [path, object] of new Map(service.objects)) {
    service.objects.delete(path);
    const moved = path.replace(shelf, "/shelves/moved");
    service.objects.set(moved, path === shelf ? { ...object, id: "moved" } : object);
  }
  const at = { apiVersion: `${group}/v1`, kind: "Shelve", namespace: "default", name: "top" };
  await memory.patch(
    { ...at, subresource: "status" },
    { status: { connect: { id: "moved", path: "/shelves/moved" } } },
  );
  await connect.pass(30_000);
  const now = await connect.read("book");
  assert.equal(conditionOf(now, "Ready"), "True Available");
  assert.equal(textAt(bookOf(now), "path"), old.replace(shelf, "/shelves/moved"));
  assert.equal(writesOf(service).length, writes);
});

it("refuses a book that names no shelf, and says what to set", async () => {
  await using library = await openLibrary();
  const { connect } = library;
  const said = /set connect\.parent\.name to the name of its shelves\.library\.example\.dev/;
  await assert.rejects(connect.make("book", { name: "book" }), said);
  await connect.make("given", { name: "given" }, { parameters: { shelfId: "s" } });
  await connect.make("book", { name: "book" }, onShelf);
  await assert.rejects(connect.change("book", { connect: { parent: null } }), said);
});
