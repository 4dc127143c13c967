// What the documents of an API state beside its routes. Each surface that serves routes has one;
// openapi.ts and doc-page.ts write the documents.

import type { JsonObject } from "../../kernel/json.ts";

export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** In front of the path of each route; absent where the paths are complete. */
  readonly base?: string;
  /** The OpenAPI security schemes, by name. An operation that is not public needs one of them. */
  readonly securitySchemes: JsonObject;
  /** Schemas that those of the routes refer to, as "#/components/schemas/NAME". */
  readonly schemas?: JsonObject;
  readonly errors: ErrorDescription;
  /** Where the page links to the OpenAPI document, relative to the page. */
  readonly documentLink: string;
}

/** Every error of the API has one schema. */
export interface ErrorDescription {
  /** Of the schema, such as "Problem". */
  readonly name: string;
  readonly schema: JsonObject;
  readonly mediaType: string;
  /** Of an answer that is an error, for the OpenAPI document. */
  readonly description: string;
  /** About all errors, for the page. Backquotes mark code. */
  readonly text: string;
  readonly codes: readonly ErrorCodeRow[];
}

export interface ErrorCodeRow {
  readonly code: string;
  readonly status: number;
  readonly summary: string;
  readonly action: string;
}
