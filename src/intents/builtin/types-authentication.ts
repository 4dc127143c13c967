// Questions about who somebody is, and requests for tokens. They are never stored.

import {
  always,
  atomic,
  bool,
  int64,
  mapOf,
  message,
  of,
  optional,
  required,
  string,
  texts,
  time,
} from "./message.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.authentication.v1";

export const userInfo = message(`${prefix}.UserInfo`, "Information about a user.", {
  username: [1, string, "Name of the user."],
  uid: [2, string, "UID of the user."],
  groups: [3, atomic(string), "Groups of the user."],
  extra: [4, mapOf(texts), "Additional attributes of the user."],
});

export const tokenReviewSpec = message(`${prefix}.TokenReviewSpec`, "The token to verify.", {
  token: [1, string, "The token."],
  audiences: [2, atomic(string), "Audiences that the token must be valid for."],
});

export const tokenReviewStatus = message(`${prefix}.TokenReviewStatus`, "The user of the token.", {
  authenticated: [1, bool, "Whether the token is valid."],
  user: [2, of(userInfo), "The user of the token."],
  audiences: [4, atomic(string), "Audiences of the token."],
  error: [3, string, "Error of the verification."],
});

export const tokenReview = message(
  `${prefix}.TokenReview`,
  "Verifies a token and returns its user.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(tokenReviewSpec)), "The token to verify."],
    status: [3, of(tokenReviewStatus), "The result of the verification."],
  },
);

export const selfSubjectReviewStatus = message(
  `${prefix}.SelfSubjectReviewStatus`,
  "The user that sent the request.",
  {
    userInfo: [1, of(userInfo), "The user that sent the request."],
  },
);

export const selfSubjectReview = message(
  `${prefix}.SelfSubjectReview`,
  "Returns the user that sent the request.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    status: [2, of(selfSubjectReviewStatus), "The user that sent the request."],
  },
);

export const boundObjectReference = message(
  `${prefix}.BoundObjectReference`,
  "An object that a token is bound to: the token is invalid after its deletion.",
  {
    kind: [1, string, "Kind of the object."],
    apiVersion: [2, string, "API version of the object."],
    name: [3, string, "Name of the object."],
    uid: [4, string, "UID of the object."],
  },
);

export const tokenRequestSpec = message(`${prefix}.TokenRequestSpec`, "The requested token.", {
  audiences: [1, required(atomic(string)), "Audiences of the token."],
  expirationSeconds: [4, always(optional(int64)), "Requested lifetime of the token in seconds."],
  boundObjectRef: [
    3,
    always(optional(of(boundObjectReference))),
    "An object that the token is bound to: the token is invalid after its deletion.",
  ],
});

export const tokenRequestStatus = message(`${prefix}.TokenRequestStatus`, "The token.", {
  token: [1, required(string), "The token."],
  expirationTimestamp: [2, required(time), "When the token expires."],
});

export const tokenRequest = message(
  `${prefix}.TokenRequest`,
  "Requests a token for a service account.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(tokenRequestSpec)), "The requested token."],
    status: [3, of(tokenRequestStatus), "The token."],
  },
);
