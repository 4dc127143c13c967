// Each expected text is what kube-apiserver 1.36 answers to the same definition.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { definitionErrors } from "./definition-check.ts";
import { definitionOf, label, spec, subdomain, webhook } from "./definition-samples.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

type BadDefinition = readonly [title: string, definition: JsonObject, errors: readonly string[]];

const bad: readonly BadDefinition[] = [
  [
    "an unknown strategy",
    definitionOf(spec({ conversion: { strategy: "Magic" } })),
    [
      'spec.conversion.strategy: Unsupported value: "Magic": supported values: ' +
        '"None", "Webhook"',
    ],
  ],
  [
    "no strategy",
    definitionOf(spec({ conversion: { strategy: "" } })),
    ["spec.conversion.strategy: Required value"],
  ],
  [
    "a webhook without its configuration",
    definitionOf(spec({ conversion: { strategy: "Webhook" } })),
    [
      "spec.conversion.webhookClientConfig: Required value: required when strategy " +
        "is set to Webhook",
      "spec.conversion.conversionReviewVersions: Required value",
    ],
  ],
  [
    "a webhook for no conversion",
    definitionOf(
      spec({
        conversion: {
          strategy: "None",
          webhook: { clientConfig: { url: "https://a.b" }, conversionReviewVersions: ["v1"] },
        },
      }),
    ),
    [
      "spec.conversion.webhookClientConfig: Forbidden: should not be set when " +
        "strategy is not set to Webhook",
      "spec.conversion.conversionReviewVersions: Forbidden: should not be set when " +
        "strategy is not set to Webhook",
    ],
  ],
  [
    "a webhook without url and service",
    definitionOf(
      spec({
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] },
        },
      }),
    ),
    [
      "spec.conversion.webhookClientConfig: Required value: exactly one of url or " +
        "service is required",
    ],
  ],
  [
    "a webhook with url and service",
    definitionOf(
      spec({
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { url: "https://a.b", service: { name: "a", namespace: "b" } },
            conversionReviewVersions: ["v1"],
          },
        },
      }),
    ),
    [
      "spec.conversion.webhookClientConfig: Required value: exactly one of url or " +
        "service is required",
    ],
  ],
  [
    "a webhook with a bad url",
    definitionOf(spec({ conversion: webhook({ url: "http://u:p@/x?q=1#f" }) })),
    [
      "spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is " +
        "the only allowed URL scheme; desired format: https://host[/path]",
      'spec.conversion.webhookClientConfig.url: Invalid value: "": host must be ' +
        "specified; desired format: https://host[/path]",
      'spec.conversion.webhookClientConfig.url: Invalid value: "u:p": user ' +
        "information is not permitted in the URL",
      'spec.conversion.webhookClientConfig.url: Invalid value: "f": fragments are ' +
        "not permitted in the URL",
      'spec.conversion.webhookClientConfig.url: Invalid value: "q=1": query ' +
        "parameters are not permitted in the URL",
    ],
  ],
  [
    "a webhook with a url that is no url",
    definitionOf(spec({ conversion: webhook({ url: "https://a b" }) })),
    [
      "spec.conversion.webhookClientConfig.url: Required value: url must be a valid " +
        'URL: parse "https://a b": invalid character " " in host name; desired ' +
        "format: https://host[/path]",
    ],
  ],
  [
    "a webhook without scheme",
    definitionOf(spec({ conversion: webhook({ url: "example.dev/convert" }) })),
    [
      "spec.conversion.webhookClientConfig.url: Invalid value: \"\": 'https' is the " +
        "only allowed URL scheme; desired format: https://host[/path]",
      'spec.conversion.webhookClientConfig.url: Invalid value: "": host must be ' +
        "specified; desired format: https://host[/path]",
    ],
  ],
  [
    "a webhook with an empty service",
    definitionOf(spec({ conversion: webhook({ service: { name: "", namespace: "" } }) })),
    [
      "spec.conversion.webhookClientConfig.service.name: Required value",
      "spec.conversion.webhookClientConfig.service.namespace: Required value",
    ],
  ],
  [
    "a webhook with a bad service",
    definitionOf(
      spec({
        conversion: webhook({ service: { name: "a", namespace: "", port: 70000, path: "a//B_/" } }),
      }),
    ),
    [
      "spec.conversion.webhookClientConfig.service.name: Required value",
      "spec.conversion.webhookClientConfig.service.port: Invalid value: 70000: port " +
        "is not valid: must be between 1 and 65535, inclusive",
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a//B_/": ' +
        "must start with a '/'",
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a//B_/": ' +
        "segment[0] may not be empty",
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a//B_/": ' +
        "segment[1] may not be empty",
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "a//B_/": ' +
        "segment[2]: " +
        subdomain,
    ],
  ],
  [
    "a webhook with an empty path segment",
    definitionOf(
      spec({ conversion: webhook({ service: { name: "a", namespace: "b", path: "//" } }) }),
    ),
    [
      'spec.conversion.webhookClientConfig.service.path: Invalid value: "//": ' +
        "segment[0] may not be empty",
    ],
  ],
  [
    "a webhook without review versions",
    definitionOf(
      spec({
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: { url: "https://a.b" }, conversionReviewVersions: [] },
        },
      }),
    ),
    ["spec.conversion.conversionReviewVersions: Required value"],
  ],
  [
    "a webhook with bad review versions",
    definitionOf(
      spec({
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: { url: "https://a.b" },
            conversionReviewVersions: ["v9", "v9", "V"],
          },
        },
      }),
    ),
    [
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v9": duplicate version',
      'spec.conversion.conversionReviewVersions[2]: Invalid value: "V": ' + label,
      "spec.conversion.conversionReviewVersions: Invalid value: " +
        '["v9","v9","V"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "a webhook with an unreadable caBundle",
    definitionOf(spec({ conversion: webhook({ url: "https://a.b", caBundle: "AAAA" }) })),
    [],
  ],
];

for (const [title, definition, errors] of bad) {
  test(`judged as Kubernetes does: ${title}`, () => {
    const found = definitionErrors(defaultDefinition(definition));
    assert.deepEqual(found.map(fieldErrorText), errors);
  });
}
