/** The implementation of port.ts over the HTTP port. */
import type { OpenHttp } from "../http/port.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isTrueAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { openConnection, withQuery } from "./connection.ts";
import type { KubeConnection } from "./connection.ts";
import { followCollection } from "./follow.ts";
import { KubeError } from "./port.ts";
import type { KubeClient, KubeKind, KubeList, OpenKube, Query } from "./port.ts";

const pageItems = 500;
/** A list that does not end is a fault of the server. */
const maxPages = 1_000;

export function kubeWith(openHttp: OpenHttp): OpenKube {
  return (options) => {
    const connection = openConnection(openHttp, options);
    const { send } = connection;
    const list: KubeClient["list"] = async (path, query, signal, most) =>
      await allPages(send, path, { query, most }, signal);
    return {
      list,
      get: async (path, signal) => await existing(send({ method: "GET", path, signal })),
      apply: async (path, body, signal, { isDryRun = false, isForced = true } = {}) => {
        const { fieldManager } = options;
        const dry: Query = isDryRun ? { dryRun: "All" } : {};
        const target = withQuery(path, { fieldManager, force: String(isForced), ...dry });
        const contentType = "application/apply-patch+yaml";
        return await send({ method: "PATCH", path: target, signal, contentType, body });
      },
      create: async (path, body, signal) =>
        await send({ method: "POST", path, signal, contentType: "application/json", body }),
      delete: async (path, uid, signal, propagation = "Background") => {
        const preconditions = uid === undefined ? {} : { preconditions: { uid } };
        const body = { propagationPolicy: propagation, ...preconditions };
        const contentType = "application/json";
        const call = { method: "DELETE", path, signal, contentType, body };
        return (await existing(send(call))) !== undefined;
      },
      findKind: async ({ apiVersion, kind }, signal) =>
        kindIn(await existing(send({ method: "GET", path: groupPath(apiVersion), signal })), kind),
      follow: async (path, query, listener, signal) =>
        await followCollection({ connection, list, path, query, listener, signal }),
      [Symbol.dispose]: () => connection[Symbol.dispose](),
    };
  };
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function kindIn(group: JsonObject | undefined, kind: string): KubeKind | undefined {
  const found = objectsAt(group, "resources").find((one) => {
    return textAt(one, "kind") === kind && !textAt(one, "name").includes("/");
  });
  if (found === undefined) return undefined;
  return { plural: textAt(found, "name"), isNamespaced: isTrueAt(found, "namespaced") };
}

async function allPages(
  send: KubeConnection["send"],
  path: string,
  { query, most = Infinity }: { readonly query: Query; readonly most: number | undefined },
  signal: AbortSignal,
): Promise<KubeList> {
  const items: JsonObject[] = [];
  let next = "";
  for (let pages = 0; pages < maxPages; pages += 1) {
    const from = next === "" ? {} : { continue: next };
    const limit = String(Math.min(pageItems, most - items.length));
    const target = withQuery(path, { ...query, limit, ...from });
    const page = await send({ method: "GET", path: target, signal });
    items.push(...objectsAt(page, "items"));
    next = textAt(page, "metadata", "continue");
    const resourceVersion = textAt(page, "metadata", "resourceVersion");
    // A server may return more than it was asked for.
    if (items.length > most || (items.length === most && next !== "")) {
      return { items: items.slice(0, most), resourceVersion, isPartial: true };
    }
    if (next === "") return { items, resourceVersion };
  }
  throw new KubeError(0, "TooManyPages", `the list ${path} has more than ${maxPages} pages`);
}

async function existing(answer: Promise<JsonObject>): Promise<JsonObject | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
}
