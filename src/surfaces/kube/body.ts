// Request bodies: read whole within the size limit, then decoded from JSON, YAML or protobuf. The
// decoder finds keys that are given twice, because nobody after it can.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { parseJson } from "../../kernel/strict-json.ts";
import { decodeUtf8 } from "../../kernel/whole-text.ts";
import { parseYaml } from "../../kernel/yaml.ts";
import { badRequest, tooLarge } from "../../intents/refusals.ts";
import { unrecognisedText } from "../../intents/write/envelope.ts";
import { decodeProtobuf } from "./protobuf/envelope.ts";
import type { Exchange } from "../http/exchange.ts";

export interface Decoded {
  readonly value: Json;
  /** `duplicate field "spec.x"`, when looking for them was asked for. */
  readonly problems: readonly string[];
}

export type BodyType = "json" | "yaml" | "protobuf";

const bodyTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** A missing or empty type counts as JSON: kubectl sends none when it scales. */
export function bodyType(contentType: string | undefined, hasProtobuf: boolean): BodyType {
  const given = contentType === undefined || contentType === "" ? "application/json" : contentType;
  const [type = ""] = given.split(";");
  switch (type.trim().toLowerCase()) {
    case "*/*":
    case "application/json":
      return "json";
    case "application/yaml":
      return "yaml";
    case "application/vnd.kubernetes.protobuf":
      if (hasProtobuf) return "protobuf";
      break;
    default:
      break;
  }
  throw unsupportedMedia(bodyTypes);
}

export function unsupportedMedia(accepted: readonly string[]): SetpointError {
  return new SetpointError(
    "request.unsupported_media_type",
    "the body of the request was in an unknown format - " +
      `accepted media types include: ${accepted.join(", ")}`,
  );
}

export async function readBody(exchange: Exchange): Promise<Buffer> {
  return await exchange.readBody(limits.maxKubeBodyBytes, () => tooLarge(limits.maxKubeBodyBytes));
}

export function decodeBody(
  bytes: Buffer,
  type: BodyType,
  { expected, findsDuplicates }: { readonly expected: string; readonly findsDuplicates: boolean },
): Decoded {
  try {
    if (type === "protobuf") return { value: decodeProtobuf(bytes), problems: [] };
    if (type === "yaml") {
      const { value, duplicates } = parseYaml(decodeUtf8(bytes));
      return { value, problems: duplicates };
    }
    const { value, duplicates } = parseJson(bytes, { strict: findsDuplicates });
    return { value, problems: duplicates.map((path) => `duplicate field "${path}"`) };
  } catch (error) {
    if (!isSetpointError(error, "request.invalid")) throw error;
    const prefix = type === "json" ? "couldn't get version/kind; json parse error: " : "";
    throw badRequest(unrecognisedText(expected, `${prefix}${error.message}`, bytes), error);
  }
}
