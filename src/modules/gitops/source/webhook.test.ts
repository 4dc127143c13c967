import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { manualClock } from "../../../kernel/clock.ts";
import { gitopsLimits } from "../limits.ts";
import { repositoryPlace } from "./repository-name.ts";
import { minuteRates } from "./webhook-route.ts";
import { concerns, decideWebhook } from "./webhook.ts";
import type { WebhookDecision, WebhookProvider } from "./webhook.ts";

const secret = "test-only";
const hmac = (body: string): string => createHmac("sha256", secret).update(body).digest("hex");

interface Sample {
  readonly provider: WebhookProvider;
  readonly proof: (body: string) => Readonly<Record<string, string>>;
  readonly push: Readonly<Record<string, string>>;
  readonly other: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly urls: readonly string[];
}

const repository = {
  clone_url: "https://git.example/jane/shop.git",
  ssh_url: "git@git.example:jane/shop.git",
  html_url: "https://git.example/jane/shop",
};
const three = [repository.clone_url, repository.ssh_url, repository.html_url];

const samples: readonly Sample[] = [
  {
    provider: "GitHub",
    proof: (body) => ({ "x-hub-signature-256": `sha256=${hmac(body)}` }),
    push: { "x-github-event": "push" },
    other: { "x-github-event": "ping" },
    payload: { ref: "refs/heads/main", repository },
    urls: three,
  },
  {
    provider: "GitLab",
    proof: () => ({ "x-gitlab-token": secret }),
    push: { "x-gitlab-event": "Push Hook" },
    other: { "x-gitlab-event": "Issue Hook" },
    payload: {
      ref: "refs/heads/main",
      project: { git_http_url: three[0], git_ssh_url: three[1], web_url: three[2] },
    },
    urls: three,
  },
  {
    provider: "Gitea",
    proof: (body) => ({ "x-gitea-signature": hmac(body) }),
    push: { "x-gitea-event": "push" },
    other: { "x-gitea-event": "issues" },
    payload: { ref: "refs/heads/main", repository },
    urls: three,
  },
  {
    provider: "Bitbucket",
    proof: (body) => ({ "x-hub-signature": `sha256=${hmac(body)}` }),
    push: { "x-event-key": "repo:push" },
    other: { "x-event-key": "pullrequest:created" },
    payload: {
      push: { changes: [{ new: { type: "branch", name: "main" }, old: null }] },
      repository: { links: { html: { href: three[2] } } },
    },
    urls: three.slice(2),
  },
  {
    provider: "BitbucketServer",
    proof: (body) => ({ "x-hub-signature": `sha256=${hmac(body)}` }),
    push: { "x-event-key": "repo:refs_changed" },
    other: { "x-event-key": "diagnostics:ping" },
    payload: {
      changes: [{ ref: { id: "refs/heads/main" } }],
      repository: { links: { clone: three.slice(0, 2).map((href) => ({ href })) } },
    },
    urls: three.slice(0, 2),
  },
];

for (const { provider, proof, push, other, payload, urls } of samples) {
  const body = JSON.stringify(payload);
  const decide = (headers: Readonly<Record<string, string>>, given = secret): WebhookDecision =>
    decideWebhook({ provider, headers, body }, given);

  test(`a push of ${provider} names its repository and branch`, () => {
    assert.deepEqual(decide({ ...proof(body), ...push }), {
      kind: "push",
      urls,
      refs: ["refs/heads/main"],
    });
    assert.deepEqual(decide({ ...proof(body), ...other }), { kind: "ignored" });
  });

  test(`a delivery of ${provider} without the proof of the secret is refused`, () => {
    const refused = { kind: "refused", result: "unsigned" };
    const [name = "", value = ""] = Object.entries(proof(body))[0] ?? [];
    assert.deepEqual(decide(push), refused);
    assert.deepEqual(decide({ ...push, [name]: "" }), refused);
    assert.deepEqual(decide({ ...push, [name]: `${value}0` }), refused);
    assert.deepEqual(decide({ ...push, [name]: value.slice(0, -1) }), refused);
    assert.deepEqual(decide({ ...push, [name]: value }, "another"), refused);
    assert.deepEqual(decide({ ...push, [name]: value }, ""), refused, "without a secret");
    if (provider === "GitLab") return;
    const changed = decideWebhook(
      { provider, headers: { ...push, [name]: value }, body: "{}" },
      secret,
    );
    assert.deepEqual(changed, refused, "another body");
  });
}

test("a long push is checked and not parsed", () => {
  const body = `{"ref": "${"x".repeat(gitopsLimits.maxParsedWebhookChars)}`;
  const headers = { "x-hub-signature-256": `sha256=${hmac(body)}`, "x-github-event": "push" };
  const long = { provider: "GitHub", headers, body } as const;
  assert.deepEqual(decideWebhook(long, secret), { kind: "long" });
  const other = { ...headers, "x-github-event": "ping" };
  assert.deepEqual(decideWebhook({ ...long, headers: other }, secret), { kind: "ignored" });
  const refused = { kind: "refused", result: "unsigned" };
  assert.deepEqual(decideWebhook(long, "other"), refused);
});

test("a delivery as a form is read, and one that is not JSON is refused", () => {
  const form = `payload=${encodeURIComponent(JSON.stringify({ ref: "refs/tags/v1", repository }))}`;
  const decide = (body: string, type: string): WebhookDecision => {
    const headers = {
      "x-hub-signature-256": `sha256=${hmac(body)}`,
      "x-github-event": "push",
      "content-type": type,
    };
    return decideWebhook({ provider: "GitHub", headers, body }, secret);
  };
  assert.deepEqual(decide(form, "application/x-www-form-urlencoded"), {
    kind: "push",
    urls: three,
    refs: ["refs/tags/v1"],
  });
  for (const body of ["", "no", "[]", "null", "[".repeat(5_000)]) {
    assert.deepEqual(decide(body, "application/json"), { kind: "refused", result: "invalid" });
  }
});

test("a source is concerned by its branch, tag or full name, and a commit by none", () => {
  const refs = ["refs/heads/main", "refs/tags/v1"];
  for (const target of ["main", "v1", "refs/heads/main", ""]) assert.ok(concerns(refs, target));
  for (const target of ["next", "refs/heads/v1", "a".repeat(40)]) {
    assert.ok(!concerns(refs, target), target);
  }
  assert.ok(concerns([], "next"), "all when no ref is known");
});

test("a repository has one place in all forms of its URL", () => {
  for (const url of [
    "https://Git.example/jane/shop.git",
    "https://git.example:8443/jane/shop/",
    "ssh://git@git.example:2222/jane/shop.git",
    "git@git.example:jane/shop.git",
  ]) {
    assert.equal(repositoryPlace(url), "git.example/jane/shop", url);
  }
  assert.notEqual(repositoryPlace("https://git.example/jane/Shop"), "git.example/jane/shop");
});

test("the deliveries of one minute have a bound for each namespace", () => {
  const clock = manualClock(60_000 * 1_000);
  const rates = minuteRates(clock);
  for (let sent = 0; sent < gitopsLimits.webhooksPerMinute; sent += 1) {
    assert.equal(rates.take("jane"), 0);
  }
  assert.equal(rates.take("jane"), 60_000);
  assert.equal(rates.take("bob"), 0);
  clock.advanceMs(60_000);
  assert.equal(rates.take("jane"), 0);
});
