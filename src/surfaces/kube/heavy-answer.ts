// One document in the form that the client asked for. A thread makes the form of a large one.

import { presentBytes, presentResource } from "../../intents/read/present.ts";
import type { Presentable } from "../../intents/read/present.ts";
import type { ResourceRequest, Surface } from "./context.ts";
import { isHeavy } from "./list-stream.ts";
import type { Form } from "./negotiate.ts";
import { isForPeople, sendBytes, sendJson, sendReady } from "./respond.ts";
import type { Answer } from "./respond.ts";
import { itemForm, optionsOf } from "./shaped-items.ts";
import type { ItemForm } from "./shaped-items.ts";
import { includeObject } from "./table-options.ts";
import { partialObjectMetadata } from "./table/partial-metadata.ts";
import { tableFor } from "./table/table.ts";

/** The form of an answer, as data. */
export function requestForm(surface: Surface, request: ResourceRequest, form: Form): ItemForm {
  return itemForm({
    found: request.found,
    form,
    isPretty: isForPeople(request.exchange, form),
    includeObject: () => includeObject(request.info.query),
    nowMs: surface.intents.clock.nowMs(),
  });
}

/** JSON bytes as they are stored, in the encoding and the shape of the answer. */
export async function sendStored(
  surface: Surface,
  request: ResourceRequest,
  answer: Answer,
  bytes: Buffer,
): Promise<void> {
  const { exchange, work } = request;
  const { form } = answer;
  const isPlain = form.as === "object" && form.encoding === "json" && !isForPeople(exchange, form);
  if (isPlain || !isHeavy(form, bytes.length)) {
    await sendBytes(exchange, answer, bytes);
    return;
  }
  const options = optionsOf(requestForm(surface, request, form));
  const { bytes: shaped } = await work({ name: "shape-whole", bytes, options });
  await sendReady(exchange, answer, shaped);
}

/** One resource. */
export async function sendRecord(
  surface: Surface,
  request: ResourceRequest,
  { status, form }: { readonly status: number; readonly form: Form },
  record: Presentable,
): Promise<void> {
  const { exchange, found } = request;
  const { served, version } = found;
  const answer = { status, form, headers: request.headers() };
  if (form.as === "object" || isHeavy(form, record.body.length)) {
    const bytes = presentBytes(served, version, record);
    await sendStored(surface, request, answer, bytes instanceof Promise ? await bytes : bytes);
    return;
  }
  const object = await presentResource(served, version, record);
  const shown =
    form.as === "metadata"
      ? partialObjectMetadata(object, form.metaVersion)
      : tableFor(served.kind, version.definition, [object], {
          nowMs: surface.intents.clock.nowMs(),
          includeObject: includeObject(request.info.query),
          version: form.metaVersion,
        });
  await sendJson(exchange, answer, shown);
}
