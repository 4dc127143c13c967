// What a protocol provides so that the request pipeline can serve it. The pipeline (pipeline.ts)
// owns the steps that every protocol shares: routing, authentication, audit, admission, deadline,
// metrics, trace and error handling. A surface owns what its protocol defines: which URLs belong
// to it, how a URL is read, what a request costs, how a request is answered and how an error is
// worded. Methods are called in the order in which they are listed here.

import type { AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import type { RequestCost } from "./admit.ts";
import type { AuditFacts } from "./audit.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestLabels } from "./metrics.ts";
import type { UrlPrefix } from "./prefix-table.ts";
import type { RequestIds } from "./trace.ts";

export interface HttpSurface<P extends ParsedRequest = ParsedRequest> {
  /** In logs, spans and the cause of a change: "kube", "arm", "rest". */
  readonly name: string;
  /** The URLs of this surface. Among all surfaces the longest prefix wins. */
  readonly prefixes: readonly UrlPrefix[];
  /**
   * A request without an answer by then receives request.timeout. A stream counts as answered with
   * its head. Absent: no deadline.
   */
  readonly answerWithinMs?: number;
  /** Whether requests without credentials continue as system:anonymous. Absent: they get 401. */
  readonly allowsAnonymous?: boolean;
  /** Decides about the `Impersonate-*` headers. Absent: the headers are ignored. */
  readonly impersonation?: Authorizer;

  /** Reads method, URL and ids. Never throws: `check` reports what is wrong. */
  parse(exchange: Exchange): P;
  /** Refuses a request that cannot be read, before authentication. */
  check?(parsed: P): void;
  /**
   * Whether a request needs no credentials, as when it brings them: those that it has are ignored.
   * Unlike an open path it is audited and limited. Absent: no request.
   */
  isPublic?(parsed: P): boolean;
  /** What the audit policy and the audit record say about the request. */
  auditFacts(request: SurfaceRequest<P>): AuditFacts;
  /** The namespace that the request is about; empty if there is none. See tenant.ts. */
  namespaceOf(request: SurfaceRequest<P>): string;
  /**
   * The namespace to which the caller belongs by the rules of the surface, such as the claims of a
   * token. The request then counts for it, whether or not the caller has a role there.
   */
  memberNamespaceOf?(request: SurfaceRequest<P>): string | undefined;
  /** Undefined: the request is exempt from admission. */
  costOf(request: SurfaceRequest<P>): RequestCost | undefined;
  /** Authorises, performs and answers the request through `request.exchange`. */
  handle(request: SurfaceRequest<P>): Promise<void>;
  /** Answers with an error. Called only while there is no answer. */
  envelope(error: unknown, request: SurfaceRequest<P>): void | Promise<void>;
  /** Whether an error is a fault of the server, which is logged with its cause. */
  isFault(error: unknown): boolean;
  /** The labels of the metrics, read when the request has ended. */
  labels(request: SurfaceRequest<P>): RequestLabels;
  /** Whether the answer is logged, as for writes. Absent: it is not. */
  isLogged?(request: SurfaceRequest<P>): boolean;
}

/** What a surface reads from the head of a request. A surface adds its own fields. */
export interface ParsedRequest {
  readonly ids: RequestIds;
  /** An open path needs no credentials, and is neither audited nor limited: health checks. */
  readonly isOpen: boolean;
}

/** One request as the methods of a surface see it. */
export interface SurfaceRequest<P extends ParsedRequest = ParsedRequest> {
  /** Records bodies for the audit log once the request is audited. */
  readonly exchange: Exchange;
  readonly parsed: P;
  /** system:anonymous until authentication has succeeded, and on open paths. */
  readonly user: UserInfo;
  /** The name of the user who was authenticated, where `user` is impersonated. */
  readonly impersonator?: string | undefined;
  /** Whose share of the server the request uses; empty before its admission and when exempt. */
  readonly tenant: string;
  /** Undefined when the audit policy does not record the request. */
  readonly trail: AuditTrail | undefined;
  /**
   * Aborted when the client leaves or the deadline passes. Created on the first call, because most
   * requests need none.
   */
  signal(): AbortSignal;
}
