// GET of one resource, and lists by subscription, by group and inside of a resource. Pages are of
// one snapshot for as long as that can be read; where a page ends is told by a token that is only
// good for the same list. A page may be empty and have another after it: what was made of the kind
// by other means than this surface is passed over.

import { isSetpointError } from "../../../kernel/errors.ts";
import type { ListQuery, Page, Position } from "../../../store/port.ts";
import type { Addressed } from "../request/addressed.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import { groupDigest } from "../../../modules/resource-provider/arm-names.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { baseUrl } from "../request/arm-request.ts";
import { etagOf, isUnchanged } from "../protocol/etags.ts";
import { groupLabel } from "../../../modules/resource-provider/face.ts";
import type { Located } from "./located.ts";
import { aroundOf } from "./nesting.ts";
import { listedResource, resourceNotFound, shownResource } from "./resource-view.ts";
import { skipPosition, skipToken } from "../protocol/skip-token.ts";
import type { ListedBy } from "../protocol/skip-token.ts";

const defaultTop = 100;
const maxTop = 1_000;
/** The Resource Manager takes answers of up to 8 MB; a larger one is a page of its own. */
const maxListBytes = 4_000_000;

export async function getResource(
  surface: ArmSurface,
  { exchange }: ArmRequest,
  found: Located,
): Promise<ArmAnswer> {
  const { record } = found;
  const kept = record && surface.shown.find(record.revision, found);
  const bytes = kept ?? (record && (await shownBytes(surface, found, record)));
  if (record === undefined || bytes === undefined) throw resourceNotFound(found);
  const headers = { etag: etagOf(record.revision) };
  // Clients ask in this way whether there is one.
  if (exchange.method === "HEAD") return { status: 204, headers };
  if (isUnchanged(exchange.headers, record.revision)) return { status: 304, headers };
  return { status: 200, headers, bytes };
}

/** What has come to its end is kept, to be shown as it is until it changes. */
async function shownBytes(
  surface: ArmSurface,
  found: Located,
  record: NonNullable<Located["record"]>,
): Promise<Buffer | undefined> {
  const shown = await shownResource(surface, found, record);
  if (shown === undefined) return undefined;
  const bytes = Buffer.from(JSON.stringify(shown.body));
  if (shown.provisioning.state === "Succeeded") {
    surface.shown.keep(record.revision, shown.envelope.id.toLowerCase(), found, bytes);
  }
  return bytes;
}

export async function listResources(
  surface: ArmSurface,
  request: ArmRequest,
  found: Addressed,
): Promise<ArmAnswer> {
  const { served, place, target } = found;
  const { namespace } = target;
  const limit = topOf(request);
  const token = request.query.get("$skiptoken");
  const around = await aroundOf(surface, { ...place, names: [...place.names, ""] });
  const { group } = place;
  const inGroup = { key: groupLabel, operator: "in", values: [groupDigest(group ?? "")] } as const;
  const list: ListedBy = {
    kind: served.id,
    namespace,
    ...(group === undefined ? {} : { labels: [inGroup] }),
    ...(around === undefined ? {} : { owner: around.owner.uid }),
  };
  const from = token === undefined ? undefined : skipPosition(surface.skipKey, list, token);
  if (token !== undefined && from === undefined) throw notOfTheList();
  const { items, next } = await readItems(surface, found, { ...list, limit }, from);
  const link = next && JSON.stringify(linkTo(request, skipToken(surface.skipKey, list, next)));
  const tail = link === undefined ? "" : `,"nextLink":${link}`;
  return { status: 200, text: `{"value":[${items.join(",")}]${tail}}` };
}

interface Items {
  readonly items: readonly string[];
  readonly next: Position | undefined;
}

/** One page of the answer. It may take several pages of the store if documents are large. */
async function readItems(
  surface: ArmSurface,
  found: Addressed,
  query: ListedBy & { readonly limit: number },
  from: Position | undefined,
): Promise<Items> {
  const items: string[] = [];
  let bytes = 0;
  let left = query.limit;
  let last: Position | undefined;
  for (let page = await readPage(surface, query, from); ;) {
    for (const record of page.records) {
      const shown = await listedResource(surface, found, record);
      const text = shown === undefined ? undefined : JSON.stringify(shown.body);
      const more = text === undefined ? 0 : Buffer.byteLength(text);
      if (items.length > 0 && bytes + more > maxListBytes) return { items, next: last };
      if (text !== undefined) items.push(text);
      bytes += more;
      left -= 1;
      const { namespace, name } = record.key;
      last = { revision: page.revision, namespace, name };
    }
    if (page.next === undefined || left <= 0) return { items, next: page.next };
    page = await readPage(surface, { ...query, limit: left }, page.next);
  }
}

/** A snapshot that is no longer kept is continued on the newest state. */
async function readPage(
  { intents: { store } }: ArmSurface,
  query: ListQuery,
  from: Position | undefined,
): Promise<Page> {
  if (from === undefined) return await store.list(query);
  const { revision: head } = await store.head();
  try {
    return await store.list({
      ...query,
      from: { ...from, revision: Math.min(from.revision, head) },
    });
  } catch (error) {
    if (!isSetpointError(error, "history.gone")) throw error;
    return await store.list({ ...query, from: { ...from, revision: head } });
  }
}

function topOf({ query }: ArmRequest): number {
  const text = query.get("$top");
  if (text === undefined) return defaultTop;
  const top = Number(text);
  if (/^\d{1,9}$/.test(text) && top > 0) return Math.min(top, maxTop);
  const message = `The query parameter $top must be a positive integer, not '${text}'.`;
  throw armRefusal(400, { code: "InvalidQueryParameter", message, target: "$top" });
}

function notOfTheList(): Error {
  const message = "The query parameter $skipToken is not a token of this list.";
  return armRefusal(400, { code: "InvalidSkipToken", message, target: "$skipToken" });
}

/** The same list under the same query, from where this page ended. */
function linkTo(request: ArmRequest, token: string): string {
  const { url, headers } = request.exchange;
  const { referer } = headers;
  const isTold = request.isManager && typeof referer === "string" && URL.canParse(referer);
  const link = new URL(isTold ? referer : `${baseUrl(request)}${url.replace(/^\/+/, "/")}`);
  const others = [...link.searchParams].filter(([name]) => name.toLowerCase() !== "$skiptoken");
  const kept = new URLSearchParams(others).toString();
  link.search = "";
  return `${link.href}?${kept}${kept === "" ? "" : "&"}$skipToken=${token}`;
}
