// Begins the audit record of a request. From then on the exchange of the request reports what is
// read and what is answered to the record (audited-exchange.ts).

import type { Auditor, AuditRequest, AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import type { Exchange } from "./exchange.ts";

/** What a surface knows about a request from its method and URL. */
export interface AuditFacts extends Pick<
  AuditRequest,
  | "verb"
  | "isResource"
  | "path"
  | "group"
  | "version"
  | "resource"
  | "subresource"
  | "namespace"
  | "name"
> {
  /** Instead of the URL of the request, which may contain a secret. */
  readonly uri?: string;
  /** Whether bodies may contain fields that are never shown. */
  readonly hasHidden: boolean;
}

export interface AuditedCall {
  readonly id: string;
  readonly facts: AuditFacts;
  readonly user: UserInfo;
}

/** Undefined when the policy does not record the request. */
export function beginAudit(
  audit: Auditor,
  exchange: Exchange,
  call: AuditedCall,
): AuditTrail | undefined {
  return audit.begin(auditRequest(exchange, call), call.user);
}

function auditRequest(exchange: Exchange, { id, facts }: AuditedCall): AuditRequest {
  const { verb, isResource, path, group, version, resource, subresource, namespace, name } = facts;
  const { headers, url, remoteAddress } = exchange;
  const forwarded = headers["x-forwarded-for"];
  const passed = typeof forwarded === "string" ? forwarded.split(",") : [];
  const addresses = [...passed.map((text) => text.trim()), remoteAddress];
  return {
    id,
    uri: facts.uri ?? url,
    verb,
    isResource,
    path,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    hasHidden: facts.hasHidden,
    sourceIps: [...new Set(addresses.filter((text) => text !== ""))],
    userAgent: headers["user-agent"] ?? "",
  };
}
