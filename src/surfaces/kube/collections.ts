// Requests for many objects: list, watch and deletecollection.

import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { deleteResource } from "../../intents/write/delete.ts";
import { lacksShownValues } from "../../intents/read/erased.ts";
import { namespacesKind } from "../../intents/write/namespace.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import type { Selection } from "../../intents/watch/selection.ts";
import type { Page, StoredRecord } from "../../store/port.ts";
import { gzipSink, plainSink } from "../http/body-sink.ts";
import type { BodySink } from "../http/body-sink.ts";
import { formOf, targetOf } from "./context.ts";
import type { ResourceRequest, Surface } from "./context.ts";
import type { ListedNamespace } from "./continue-token.ts";
import { deleteOptions } from "./delete-options.ts";
import { selectionOf } from "./field-selector.ts";
import {
  collectPage,
  itemBytes,
  itemObjects,
  itemParts,
  listHead,
  listRevision,
  listTail,
  planList,
  readPages,
  recordBytes,
  tooOldList,
  writeParts,
} from "./list.ts";
import type { IsMissing, ListPlan } from "./list.ts";
import type { Form } from "./negotiate.ts";
import { collectedPages, streamedPages } from "../http/page-memory.ts";
import { deleteBody } from "./objects.ts";
import { listOptions } from "./options.ts";
import type { ListOptions } from "./options.ts";
import { requestForm, sendStored } from "./heavy-answer.ts";
import { isHeavy, recordParts, streamShaped } from "./list-stream.ts";
import { gzipHeaders, gzipLevel, isForPeople, sendBytes, sendJson, takesGzip } from "./respond.ts";
import { waitForRevision } from "./revision-wait.ts";
import { includeObject } from "./table-options.ts";
import { partialObjectMetadataList } from "./table/partial-metadata.ts";
import { tableFor } from "./table/table.ts";
import { serveWatch, tooOldWatch } from "./watch.ts";
import { watchFrames } from "./watch-frames.ts";

export async function listObjects(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, true);
  const options = listOptions(request.info.query, false);
  const selection = select(request, options);
  const plan = await planOf(surface, request, options);
  const limit = pageLimit(options);
  const hasSelector = options.labelSelector !== "" || options.fieldSelector !== "";
  const isStreamed = limit === 0 && form.encoding !== "protobuf";
  const pages = readPages(surface.intents.store, selection, plan, {
    pageItems: limit > 0 ? Math.min(limit, limits.maxPageItems) : limits.defaultPageItems * 2,
    countRemaining: limit > 0 && !hasSelector,
    memory: isStreamed ? streamedPages(request.exchange) : collectedPages(request.exchange),
    isMissing: isMissingIn(request),
  });
  if (isStreamed) {
    if (isPlain(request, form)) await streamList(request, pages, form);
    else await streamInForm(surface, request, form, pages);
    return;
  }
  const most = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  const list = await collectPage(pages, most, listedNamespace(request));
  await sendList(surface, request, form, list);
}

/** A list of any state is answered whole, as kube-apiserver answers it from its cache. */
function pageLimit({ limit, resourceVersion, continueToken }: ListOptions): number {
  return resourceVersion === "0" && continueToken === "" ? 0 : limit;
}

async function sendList(
  surface: Surface,
  request: ResourceRequest,
  form: Form,
  {
    records,
    metadata,
  }: { readonly records: readonly StoredRecord[]; readonly metadata: JsonObject },
): Promise<void> {
  const { exchange, found } = request;
  const isLong = !isPlain(request, form) && isHeavy(form, recordBytes(records));
  if (isLong && form.encoding !== "protobuf") {
    const item = requestForm(surface, request, form);
    await streamShaped(request, { form, item, metadata, pages: [records] });
    return;
  }
  const answer = { status: 200, form, headers: request.headers() };
  if (form.as === "object") {
    const items = await itemBytes(found, records);
    const bytes = Buffer.concat([listHead(found, metadata), items, listTail]);
    await sendStored(surface, request, answer, bytes);
    return;
  }
  const objects = await itemObjects(found, records);
  const shown =
    form.as === "metadata"
      ? partialObjectMetadataList(objects, metadata, form.metaVersion)
      : tableFor(found.served.kind, found.version.definition, objects, {
          nowMs: surface.intents.clock.nowMs(),
          includeObject: includeObject(request.info.query),
          metadata,
          version: form.metaVersion,
        });
  await sendJson(exchange, answer, shown);
}

/** Whether the answer consists of stored bytes. */
function isPlain({ exchange }: ResourceRequest, form: Form): boolean {
  return form.as === "object" && form.encoding === "json" && !isForPeople(exchange, form);
}

/** A short list is sent whole, a long one in parts that threads make. */
async function streamInForm(
  surface: Surface,
  request: ResourceRequest,
  form: Form,
  pages: AsyncGenerator<Page>,
): Promise<void> {
  const first = await pages.next();
  if (first.done === true) throw new Error("a list has at least one page");
  const { revision, records, next } = first.value;
  const metadata = { resourceVersion: String(revision) };
  if (next === undefined && !isHeavy(form, recordBytes(records))) {
    await sendList(surface, request, form, { records, metadata });
    return;
  }
  const item = requestForm(surface, request, form);
  await streamShaped(request, { form, item, metadata, pages: recordsOf(records, pages) });
}

async function* recordsOf(
  first: readonly StoredRecord[],
  pages: AsyncGenerator<Page>,
): AsyncGenerator<readonly StoredRecord[], void> {
  try {
    yield first;
    for await (const { records } of pages) yield records;
  } finally {
    await pages.return(undefined);
  }
}

/** A whole list is sent page by page, so that its size does not matter for the memory. */
async function streamList(
  request: ResourceRequest,
  pages: AsyncGenerator<Page>,
  form: Form,
): Promise<void> {
  const { exchange, found } = request;
  // Made before the answer begins, so that a failure is still an answer.
  const { head, parts, isWhole } = await firstPage(found, pages);
  if (isWhole) {
    const answer = { status: 200, form, headers: request.headers() };
    await sendBytes(exchange, answer, Buffer.concat([head, ...parts, listTail]));
    return;
  }
  const isPacked = takesGzip(exchange);
  const stream = exchange.begin(200, {
    ...request.headers(),
    "content-type": "application/json",
    "cache-control": "no-cache, private",
    ...(isPacked ? gzipHeaders : {}),
  });
  const sink = isPacked ? gzipSink(stream, gzipLevel) : plainSink(stream);
  const hasItems = parts.length > 0;
  try {
    // The array is emptied: the page would stay in memory for as long as the answer takes.
    await writeParts(sink, [head, ...parts.splice(0)]);
    await writePages({ found, pages, sink, isOver: () => stream.isClosed }, hasItems);
    await sink.write(listTail);
    await sink.end();
  } catch (error) {
    // The answer has begun: a client must not take what it has for the whole list.
    stream.abort();
    throw error;
  } finally {
    await pages.return(undefined);
  }
}

interface Writing {
  readonly found: Found;
  readonly pages: AsyncGenerator<Page>;
  readonly sink: BodySink;
  readonly isOver: () => boolean;
}

async function firstPage(
  found: Found,
  pages: AsyncGenerator<Page>,
): Promise<{ readonly head: Buffer; readonly parts: Buffer[]; readonly isWhole: boolean }> {
  const first = await pages.next();
  if (first.done === true) throw new Error("a list has at least one page");
  const { revision, records, next } = first.value;
  const head = listHead(found, { resourceVersion: String(revision) });
  return { head, parts: [...(await itemParts(found, records))], isWhole: next === undefined };
}

async function writePages(writing: Writing, hasItems: boolean): Promise<void> {
  let hasSome = hasItems;
  for (;;) {
    const written = writing.isOver() ? "end" : await writePage(writing, hasSome);
    if (written === "end") return;
    hasSome ||= written === "items";
  }
}

/**
 * Reads and writes the next page when the client has taken the last one. Each page has a call of
 * its own: a variable of a loop would keep a page until the next one is there.
 */
async function writePage(
  { found, pages, sink }: Writing,
  hasItems: boolean,
): Promise<"items" | "no items" | "end"> {
  const next = await pages.next();
  if (next.done === true) return "end";
  const parts = await itemParts(found, next.value.records);
  if (parts.length === 0) return "no items";
  await writeParts(sink, hasItems ? [comma, ...parts] : parts);
  return "items";
}

const comma = Buffer.from(",");

export async function watchObjects(surface: Surface, request: ResourceRequest): Promise<void> {
  const uid = namespaceUid(surface, request);
  const form = formOf(request, true);
  if (form.encoding === "yaml") throw noStream();
  const { exchange, found, info } = request;
  const { tenant = "" } = request.caller;
  const options = listOptions(info.query, true);
  // Before the selector is parsed, which takes most of the time of a watch that is refused.
  exchange.keep(watchBytes(exchange.url));
  const selection = select(request, options);
  const asked = listRevision(options.resourceVersion);
  const { store, clock, random } = surface.intents;
  const startsWithState =
    options.sendInitialEvents ?? (options.resourceVersion === "" || asked === 0);
  if (startsWithState && asked > 0) await waitForRevision(surface, asked);
  const frames = watchFrames({
    found,
    form,
    includeObject: includeObject(info.query),
    nowMs: () => clock.nowMs(),
    store,
    cache: surface.hub.frames,
    tenant,
    work: request.work,
  });
  const { revision: head } = await store.head();
  const after = asked === 0 ? head : asked;
  if (!startsWithState && after < head && after < (await oldestShown(surface, request))) {
    throw tooOldWatch(after);
  }
  await serveWatch({
    exchange,
    tenant,
    store,
    hub: surface.hub,
    timers: surface.timers,
    random,
    selection,
    frames,
    form,
    after: startsWithState ? undefined : after,
    sendsBookmarks: options.allowWatchBookmarks,
    marksInitialEnd: startsWithState && options.allowWatchBookmarks,
    timeoutSeconds: options.timeoutSeconds,
    isMissing: isMissingIn(request),
    isAuthorized: () => namespaceUid(surface, request) === uid,
    stopping: surface.stopping,
  });
}

/** What a watch holds for its selector, for as long as it is open. */
function watchBytes(url: string): number {
  return url.length < limits.minCountedUrlBytes ? 0 : url.length * limits.watchUrlFactor;
}

function isMissingIn({ found }: ResourceRequest): IsMissing {
  return (state) => lacksShownValues(found.served, state);
}

function namespaceUid({ intents }: Surface, request: ResourceRequest): string | undefined {
  const key = { kind: namespacesKind, namespace: "", name: listedNamespace(request) ?? "" };
  return intents.live.get(key)?.resource.metadata.uid;
}

function noStream(): SetpointError {
  const types = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  const message = `only the following media types are accepted: ${types}`;
  return new SetpointError("request.not_acceptable", message);
}

export async function deleteObjects(surface: Surface, request: ResourceRequest): Promise<void> {
  const form = formOf(request, false);
  const body = await deleteBody(request);
  const options = deleteOptions(body, request.info.query);
  const listed = listOptions(request.info.query, false);
  const selection = select(request, listed);
  const plan = await planOf(surface, request, listed);
  const pages = readPages(surface.intents.store, selection, plan, {
    pageItems: limits.defaultPageItems,
    countRemaining: false,
    memory: collectedPages(request.exchange),
    isMissing: isMissingIn(request),
  });
  const most = listed.limit > 0 ? listed.limit : Number.POSITIVE_INFINITY;
  const list = await collectPage(pages, most, listedNamespace(request));
  const target = targetOf(request);
  const { caller } = request;
  let refused: SetpointError | undefined;
  for (const chunk of chunks(list.records)) {
    await Promise.all(
      chunk.map(async ({ key, uid }) => {
        const one = { ...target, namespace: key.namespace, name: key.name };
        const preconditions = { ...options.preconditions, uid };
        try {
          const input = { caller, target: one, options: { ...options, preconditions } };
          await deleteResource(surface.intents, input);
        } catch (error) {
          // What is protected stays, the others go, and in the end the client is told.
          if (isSetpointError(error, "resource.protected")) {
            refused ??= error;
            return;
          }
          // It is gone or is another one by now, which is what was asked for.
          const isGone = isSetpointError(error, "resource.not_found");
          if (!isGone && !isSetpointError(error, "resource.conflict")) throw error;
        }
      }),
    );
  }
  if (refused !== undefined) throw refused;
  await sendList(surface, request, form, list);
}

const deletedAtOnce = 64;

/** What is deleted at once: some records, and fewer of them if they are large. */
function* chunks(records: readonly StoredRecord[]): Generator<readonly StoredRecord[]> {
  for (const part of recordParts(records)) {
    for (let at = 0; at < part.length; at += deletedAtOnce) {
      yield part.slice(at, at + deletedAtOnce);
    }
  }
}

function listedNamespace({ found, info }: ResourceRequest): ListedNamespace {
  return found.served.kind.scope === "Namespaced" ? info.namespace || undefined : "";
}

function select(request: ResourceRequest, options: ListOptions): Selection {
  const { found, info } = request;
  const selection = selectionOf(found, listedNamespace(request), options);
  if (info.name === "") return selection;
  // A watch of one object by its own path.
  const isOther = selection.name !== undefined && selection.name !== info.name;
  return { ...selection, name: info.name, isEmpty: selection.isEmpty || isOther };
}

async function planOf(
  surface: Surface,
  request: ResourceRequest,
  options: ListOptions,
): Promise<ListPlan> {
  const listed = listedNamespace(request);
  const plan = await planList(surface.intents.store, options, listed, {
    untilRevision: (revision) => waitForRevision(surface, revision),
  });
  const revision = plan.at ?? plan.from?.revision;
  if (revision === undefined || revision >= (await oldestShown(surface, request))) return plan;
  throw tooOldList({ at: plan.at, from: plan.from }, listed);
}

/** The revision before which a list or a watch shows the caller nothing: see lives.ts. */
async function oldestShown({ lives }: Surface, request: ResourceRequest): Promise<number> {
  const { found, caller, info } = request;
  const place = { namespace: listedNamespace(request) ?? "", name: info.name };
  return await lives.since(caller.user, found.served, place);
}
