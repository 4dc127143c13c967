/**
 * The routes by which a secondary follows this store, with a client certificate on both sides (the
 * TLS of the server). A caller with the right receives everything that is stored; secrets stay
 * sealed. See src/app/replication/http-primary.ts for the client.
 */
import type { Route, RouteAnswer, RouteRequest, StreamItem } from "../../contract/route.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, textAt } from "../../kernel/json-read.ts";
import type { ReplicatedStore, Standing } from "../../store/replication.ts";
import type { Store } from "../../store/port.ts";
import { encodeRow, encodeShipment } from "../../store/row-text.ts";
import { replicationPath as base } from "./http-primary.ts";

type Shipped = Pick<ReplicatedStore, "dump" | "replication">;

const tag = "Replication";

const access = (verb: string) =>
  ({ kind: "resource", verb, group: "replication.setpoint.dev", resource: "stores" }) as const;

const place = {
  type: "object",
  required: ["revision", "held"],
  properties: { revision: { type: "integer" }, held: { type: "integer" } },
} as const;

const standingSchema = {
  type: "object",
  required: ["role", "epoch", "at", "lastToken", "primary"],
  properties: {
    role: { type: "string", enum: ["primary", "secondary"] },
    epoch: { type: "integer" },
    at: place,
    lastToken: { type: "integer" },
    primary: { type: "string", description: "The address of the primary; empty on a primary." },
  },
} as const;

const shipmentSchema = {
  type: "object",
  required: ["epoch", "from", "link", "rows", "to", "lastToken", "head", "atMs", "keyId", "mac"],
  properties: {
    epoch: { type: "integer" },
    from: place,
    link: { type: ["string", "null"] },
    rows: { type: "array", items: { type: "object", additionalProperties: true } },
    to: place,
    lastToken: { type: "integer" },
    head: { type: "integer" },
    atMs: { type: "integer" },
    keyId: { type: "string" },
    mac: { type: "string" },
  },
} as const;

/** A store in memory has no replication. */
export function shipRoutesOf(store: Store): readonly Route[] {
  return "replication" in store ? shipRoutes(store as ReplicatedStore) : [];
}

export function shipRoutes(store: Shipped): readonly Route[] {
  return [standingRoute(store), shipmentRoute(store), dumpRoute(store), demotionRoute(store)];
}

function standingRoute({ replication }: Shipped): Route {
  return {
    method: "GET",
    path: base,
    summary: "Read the role, the epoch and the place of the store.",
    tag,
    access: access("get"),
    answers: { 200: { description: "The standing.", schema: standingSchema } },
    errors: [403],
    handle: async () => standingAnswer(await replication.standing()),
  };
}

function shipmentRoute({ replication }: Shipped): Route {
  return {
    method: "GET",
    path: `${base}/shipment`,
    summary: "Read what whole commits wrote after a place.",
    description:
      "For secondaries of this store. The answer contains everything that is stored; secrets " +
      "are sealed. 410 when history does not reach back to the place.",
    tag,
    access: access("get"),
    query: {
      type: "object",
      required: ["revision", "held"],
      properties: {
        revision: { type: "integer", minimum: 0, description: "The revision of the secondary." },
        held: { type: "integer", minimum: 0, description: "Its place in the log of names." },
      },
    },
    answers: { 200: { description: "A shipment.", schema: shipmentSchema } },
    errors: [400, 403, 409, 410],
    isList: true,
    handle: async ({ query }: RouteRequest): Promise<RouteAnswer> => {
      const [revision = 0, held = 0] = [numberAt(query, "revision"), numberAt(query, "held")];
      return documentAnswer(encodeShipment(await replication.ship({ revision, held })));
    },
  };
}

function dumpRoute(store: Shipped): Route {
  return {
    method: "GET",
    path: `${base}/dump`,
    summary: "Read the whole store, to fill a secondary.",
    description: "The rows of a backup, on one snapshot. Secrets are sealed.",
    tag,
    access: access("get"),
    stream: true,
    answers: {
      200: {
        description: "One row in each item.",
        schema: { type: "object", additionalProperties: true },
      },
    },
    errors: [403],
    handle: async () => ({ kind: "stream", items: dumpItems(store) }),
  };
}

/** There is nothing to resume at: a dump that breaks off is read again. */
async function* dumpItems(store: Shipped): AsyncIterable<StreamItem> {
  let rows = 0;
  for await (const row of store.dump()) {
    rows += 1;
    yield { revision: 0, type: "row", item: encodeRow(row) as JsonObject };
  }
  yield { revision: 0, type: "end", item: { row: "end", rows } };
}

function demotionRoute({ replication }: Shipped): Route {
  return {
    method: "POST",
    path: `${base}/demotion`,
    summary: "Make this store a secondary, for a planned switch.",
    description:
      "From then on every write is refused with 503 `store.not_primary` and the address of the " +
      "new primary.",
    tag,
    access: access("update"),
    body: {
      type: "object",
      required: ["primary"],
      properties: {
        primary: { type: "string", minLength: 1, maxLength: 500, description: "Its address." },
        epoch: { type: "integer", minimum: 1, description: "Of a primary that has taken over." },
      },
    },
    answers: { 200: { description: "Where the store stopped.", schema: standingSchema } },
    errors: [400, 403, 409],
    handle: async ({ body }: RouteRequest): Promise<RouteAnswer> => {
      const epoch = numberAt(body, "epoch");
      return standingAnswer(await replication.demote(textAt(body, "primary"), epoch));
    },
  };
}

function standingAnswer(standing: Standing): RouteAnswer {
  return documentAnswer(standing);
}

function documentAnswer(document: object): RouteAnswer {
  const headers = { "cache-control": "no-store" };
  return { kind: "document", status: 200, document: document as JsonObject, headers };
}
