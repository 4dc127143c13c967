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

export const userInfo = message(`${prefix}.UserInfo`, "Who somebody is.", {
  username: [1, string, "Name of the user."],
  uid: [2, string, "Identity of the user."],
  groups: [3, atomic(string), "Groups of the user."],
  extra: [4, mapOf(texts), "Further facts about the user."],
});

export const tokenReviewSpec = message(`${prefix}.TokenReviewSpec`, "A token to look at.", {
  token: [1, string, "The token."],
  audiences: [2, atomic(string), "Whom the token is for."],
});

export const tokenReviewStatus = message(`${prefix}.TokenReviewStatus`, "Whose token it is.", {
  authenticated: [1, bool, "Whether the token is good."],
  user: [2, of(userInfo), "Whose it is."],
  audiences: [4, atomic(string), "Whom the token is for."],
  error: [3, string, "Why it could not be checked."],
});

export const tokenReview = message(`${prefix}.TokenReview`, "Asks whose a token is.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  spec: [2, required(of(tokenReviewSpec)), "The token to look at."],
  status: [3, of(tokenReviewStatus), "The answer."],
});

export const selfSubjectReviewStatus = message(
  `${prefix}.SelfSubjectReviewStatus`,
  "Who the caller is.",
  {
    userInfo: [1, of(userInfo), "Who the caller is."],
  },
);

export const selfSubjectReview = message(`${prefix}.SelfSubjectReview`, "Asks who the caller is.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  status: [2, of(selfSubjectReviewStatus), "The answer."],
});

export const boundObjectReference = message(
  `${prefix}.BoundObjectReference`,
  "An object whose end is the end of a token.",
  {
    kind: [1, string, "Kind of the object meant."],
    apiVersion: [2, string, "Group and version of the object meant."],
    name: [3, string, "Name of the object meant."],
    uid: [4, string, "Unique identity of the object meant."],
  },
);

export const tokenRequestSpec = message(`${prefix}.TokenRequestSpec`, "What token is asked for.", {
  audiences: [1, required(atomic(string)), "Whom the token is for."],
  expirationSeconds: [4, always(optional(int64)), "How long the token should be good."],
  boundObjectRef: [
    3,
    always(optional(of(boundObjectReference))),
    "An object whose end is the end of the token.",
  ],
});

export const tokenRequestStatus = message(`${prefix}.TokenRequestStatus`, "The token.", {
  token: [1, required(string), "The token."],
  expirationTimestamp: [2, required(time), "When it stops being good."],
});

export const tokenRequest = message(
  `${prefix}.TokenRequest`,
  "Asks for a token of a service account.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(tokenRequestSpec)), "What token is asked for."],
    status: [3, of(tokenRequestStatus), "The token."],
  },
);
