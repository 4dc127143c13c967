// What a PUT or PATCH works on: the request with its body, and the stored resource.

import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import type { Located } from "./located.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/record.ts";
import type { Reauthorize } from "./sent-body.ts";

export interface WriteInput {
  readonly request: ArmRequest;
  readonly found: Located;
  readonly body: JsonObject;
  readonly isPatch: boolean;
  /** For whatever else has come to the path meanwhile. */
  readonly reauthorize: Reauthorize;
  /** Only what is wrong with it is of interest; what it would be inside of need not be there. */
  readonly isDryRun?: boolean;
}

export interface Placed extends WriteInput {
  /** By which the request is known when it comes again. */
  readonly replay: string | undefined;
}

export interface Stored {
  readonly record: StoredRecord;
  readonly old: Resource;
  readonly before: ArmEnvelope | undefined;
  /** The operation accepted last. */
  readonly last: OperationRecord | undefined;
}
