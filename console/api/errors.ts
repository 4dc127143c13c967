// A refusal of the server as one shape. The REST API answers with problem documents (RFC 9457), the
// Kubernetes API with a Status; both say what is wrong, where, and what to do.

export interface FieldError {
  readonly field: string;
  readonly detail: string;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly suggestion: string | undefined;
  readonly traceId: string | undefined;
  readonly errors: readonly FieldError[];

  constructor(parts: {
    status: number;
    code: string;
    message: string;
    suggestion?: string | undefined;
    traceId?: string | undefined;
    errors?: readonly FieldError[];
  }) {
    super(parts.message);
    this.name = "ApiError";
    this.status = parts.status;
    this.code = parts.code;
    this.suggestion = parts.suggestion;
    this.traceId = parts.traceId;
    this.errors = parts.errors ?? [];
  }
}

/** The error of a response that is not ok. */
export function errorFrom(status: number, body: unknown, traceId?: string): ApiError {
  const record = isRecord(body) ? body : {};
  const isStatus = record["kind"] === "Status";
  return new ApiError({
    status,
    code: text(record["code"]) ?? text(record["reason"]) ?? String(status),
    message: messageOf(record, status),
    suggestion: text(record["suggestion"]),
    traceId: text(record["traceId"]) ?? traceId,
    errors: isStatus ? causesOf(record["details"]) : problemsOf(record["errors"]),
  });
}

/** When there was no response. */
export function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: "unreachable",
    message: "The server does not answer.",
    suggestion: "Check that it runs, then try again.",
  });
}

function messageOf(record: Readonly<Record<string, unknown>>, status: number): string {
  const said = text(record["detail"]) ?? text(record["message"]) ?? text(record["title"]);
  return said ?? `The server answered ${status}.`;
}

function problemsOf(errors: unknown): readonly FieldError[] {
  return list(errors).map((each) => ({
    field: text(each["field"]) ?? "",
    detail: text(each["detail"]) ?? "",
  }));
}

function causesOf(details: unknown): readonly FieldError[] {
  return list(isRecord(details) ? details["causes"] : undefined).map((each) => ({
    field: text(each["field"]) ?? "",
    detail: text(each["message"]) ?? "",
  }));
}

function list(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
