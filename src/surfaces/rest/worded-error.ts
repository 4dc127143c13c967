// An error as a surface sends it. problem.ts words errors for the REST API.

import type { JsonObject } from "../../kernel/json.ts";
import type { Headers } from "../http/exchange.ts";

export interface WordedError {
  readonly status: number;
  readonly contentType: string;
  /** Without the content type. */
  readonly headers: Headers;
  readonly document: JsonObject;
}
