// Reviews: questions about identity and access, answered at once and never stored. And tokens of
// service accounts, which are asked for in the same way.

import type { Authentication } from "../../intents/auth/authentication.ts";
import {
  reviewAccess,
  reviewLocalAccess,
  reviewSelfAccess,
  reviewSelfRules,
} from "../../intents/auth/access-review.ts";
import { reviewSelf, reviewToken } from "../../intents/auth/identity-review.ts";
import type { Rbac } from "../../intents/auth/rbac.ts";
import type { TokenLookup, TokenSigner } from "../../intents/auth/service-account-token.ts";
import { checkTypes } from "../../intents/builtin/typed-decoding.ts";
import { issueToken } from "../../intents/auth/token-request.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { badRequest, methodNotAllowed, notFound } from "../../intents/refusals.ts";
import type { SpecialHandler } from "./api.ts";
import { bodyType, decodeBody, readBody } from "./body.ts";
import { formOf } from "./context.ts";
import type { ResourceRequest } from "./context.ts";
import { sendJson } from "./respond.ts";

export interface ReviewsInput {
  readonly rbac: Rbac;
  readonly authentication: Authentication;
  readonly signer: TokenSigner;
  readonly lookup: TokenLookup;
  readonly apiAudiences: readonly string[];
  readonly maxTokenSeconds: number;
}

type Review = (review: JsonObject, request: ResourceRequest) => JsonObject | Promise<JsonObject>;

export function reviewHandlers(input: ReviewsInput): ReadonlyMap<string, SpecialHandler> {
  const { rbac, authentication, apiAudiences } = input;
  const access = "authorization.k8s.io";
  const identity = "authentication.k8s.io";
  const reviews: readonly (readonly [string, Review])[] = [
    [
      `selfsubjectaccessreviews.${access}`,
      (review, { caller }) => reviewSelfAccess(review, caller.user, rbac),
    ],
    [`subjectaccessreviews.${access}`, (review) => reviewAccess(review, rbac)],
    [
      `localsubjectaccessreviews.${access}`,
      (review, { info }) => reviewLocalAccess(review, info.namespace, rbac),
    ],
    [
      `selfsubjectrulesreviews.${access}`,
      (review, { caller }) => reviewSelfRules(review, caller.user, rbac),
    ],
    [`tokenreviews.${identity}`, (review) => reviewToken(review, authentication, apiAudiences)],
  ];
  const handlers = new Map(reviews.map(([id, review]) => [id, reviewHandler(review)]));
  handlers.set(`selfsubjectreviews.${identity}`, selfHandler);
  handlers.set("serviceaccounts/token", tokenHandler(input));
  return handlers;
}

function reviewHandler(review: Review): SpecialHandler {
  return async (_surface, request) => {
    const object = await bodyObject(request, request.found.served.kind.names.kind);
    await sendReview(request, await review(object, request));
  };
}

/** Tells callers who they are; in the version they asked in. */
const selfHandler: SpecialHandler = async ({ intents }, request) => {
  await bodyObject(request, "SelfSubjectReview");
  const review = reviewSelf(request.caller.user, intents.clock);
  await sendReview(request, { ...review, apiVersion: request.found.version.apiVersion });
};

function tokenHandler(input: ReviewsInput): SpecialHandler {
  return async ({ intents }, request) => {
    const { info, found, caller } = request;
    const object = await bodyObject(request, "TokenRequest");
    const { namespace, name } = info;
    const account = await input.lookup.serviceAccount(namespace, name);
    if (account === undefined) throw notFound(found.served.kind, name);
    const issued = await issueToken({
      request: object,
      namespace,
      serviceAccount: { name, uid: account.uid },
      lookup: input.lookup,
      signer: input.signer,
      apiAudiences: input.apiAudiences,
      maxExpirationSeconds: input.maxTokenSeconds,
      clock: intents.clock,
    });
    for (const warning of issued.warnings) caller.warn(warning);
    await sendReview(request, issued.object);
  };
}

async function bodyObject(request: ResourceRequest, expected: string): Promise<JsonObject> {
  if (request.info.verb !== "create") throw methodNotAllowed(request.found.served.kind);
  const type = bodyType(request.exchange.headers["content-type"], true);
  const bytes = await readBody(request, limits.maxReviewBytes);
  const { value } = await decodeBody(request.work, bytes, type, {
    expected,
    findsDuplicates: false,
    isHidden: true,
  });
  if (!isJsonObject(value)) throw badRequest("the body of the request must be an object");
  const { apiVersion } = request.found.version;
  checkTypes({ ...value, kind: expected, apiVersion: reviewVersion(expected, apiVersion) });
  return value;
}

/** The kind of a subresource is of another group than the resource that has it. */
function reviewVersion(expected: string, apiVersion: string): string {
  return expected === "TokenRequest" ? "authentication.k8s.io/v1" : apiVersion;
}

async function sendReview(request: ResourceRequest, review: JsonObject): Promise<void> {
  const form = formOf(request, false);
  await sendJson(request.exchange, { status: 201, form, headers: request.headers() }, review);
}
