// Long lists in another form than stored JSON, such as Tables and YAML. Threads make the form, in
// parts, and each part is sent before the next is made: neither the length of a list nor its form
// blocks the event loop, and the whole list is never in memory.

import { limits } from "../../kernel/limits.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Found } from "../../intents/kinds/registry.ts";
import type { StoredRecord } from "../../store/port.ts";
import { gzipSink, plainSink } from "../http/body-sink.ts";
import type { BodySink } from "../http/body-sink.ts";
import type { ResourceRequest } from "./context.ts";
import { itemParts } from "./list.ts";
import { listFrame } from "./list-frame.ts";
import { contentType } from "./negotiate.ts";
import type { Form } from "./negotiate.ts";
import { gzipHeaders, gzipLevel, takesGzip } from "./respond.ts";
import { itemsText, optionsOf, parsed } from "./shaped-items.ts";
import type { ItemForm } from "./shaped-items.ts";

export interface ShapedList {
  readonly form: Form;
  readonly item: ItemForm;
  readonly metadata: JsonObject;
  readonly pages: AsyncIterable<readonly StoredRecord[]> | Iterable<readonly StoredRecord[]>;
}

/** Whether making the form would block the event loop for long. */
export function isHeavy({ encoding }: Pick<Form, "encoding">, bytes: number): boolean {
  return bytes >= (encoding === "yaml" ? limits.minHeavyYamlBytes : limits.minHeavyBytes);
}

export async function streamShaped(request: ResourceRequest, list: ShapedList): Promise<void> {
  const { exchange, found } = request;
  const frame = listFrame(found, list.metadata, list.item);
  const parts = shapedParts(request, list);
  // Made before the answer begins, so that a refusal is still an answer.
  const first = await parts.next();
  const isPacked = takesGzip(exchange);
  const stream = exchange.begin(200, {
    ...request.headers(),
    "content-type": contentType(list.form),
    "cache-control": "no-cache, private",
    ...(isPacked ? gzipHeaders : {}),
  });
  const sink: BodySink = isPacked ? gzipSink(stream, gzipLevel) : plainSink(stream);
  try {
    if (first.done === true) await sink.write(Buffer.from(frame.empty));
    else {
      await sink.write(Buffer.from(frame.head));
      await sink.write(first.value);
      const separator = Buffer.from(frame.separator);
      for await (const part of parts) {
        if (stream.isClosed) break;
        if (separator.length > 0) await sink.write(separator);
        await sink.write(part);
      }
      await sink.write(Buffer.from(frame.tail));
    }
    await sink.end();
  } catch (error) {
    // The answer has begun: a client must not take what it has for the whole list.
    stream.abort();
    throw error;
  } finally {
    await parts.return(undefined);
  }
}

async function* shapedParts(
  { found, work }: ResourceRequest,
  { item, form, pages }: ShapedList,
): AsyncGenerator<Buffer, void> {
  let isFirst = true;
  for await (const records of pages) {
    for (const part of recordParts(records)) {
      const items = await arrayBytes(found, part, item);
      if (isHeavy(form, items.length)) {
        const job = { name: "shape-items", bytes: items, options: optionsOf(item) };
        yield (await work({ ...job, isOwned: true, isContinued: !isFirst })).bytes;
      } else yield Buffer.from(itemsText(parsed(items) as readonly JsonObject[], item));
      isFirst = false;
    }
  }
}

/** Parts of bounded size, with at least one record each. */
export function* recordParts(records: readonly StoredRecord[]): Generator<readonly StoredRecord[]> {
  let part: StoredRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (bytes > 0 && bytes + record.body.length > limits.heavyPartBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += record.body.length;
  }
  if (part.length > 0) yield part;
}

async function arrayBytes(
  found: Found,
  records: readonly StoredRecord[],
  { as }: ItemForm,
): Promise<Buffer> {
  const items = await itemParts(found, records, { hasType: as !== "object" });
  return Buffer.concat([openList, ...items, closeList]);
}

const [openList, closeList] = [Buffer.from("["), Buffer.from("]")];
