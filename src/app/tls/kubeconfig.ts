// The file with which kubectl and other clients find the server and log in. JSON strings are valid
// YAML, so every value is written as one and none needs another way to be quoted.

export type KubeconfigCredentials =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "certificate"; readonly certificatePem: string; readonly keyPem: string };

export interface KubeconfigOptions {
  /** As in "https://127.0.0.1:7443". */
  readonly server: string;
  /** Absent when the server's certificate is of a public authority. */
  readonly authorityPem?: string | undefined;
  readonly user: string;
  readonly credentials: KubeconfigCredentials;
  /** The name of cluster and context. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

export function kubeconfig(options: KubeconfigOptions): string {
  const { server, authorityPem, user, credentials, name = "setpoint", namespace } = options;
  const text = (value: string): string => JSON.stringify(value);
  const data = (pem: string): string => text(Buffer.from(pem).toString("base64"));
  const lines = [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    `- name: ${text(name)}`,
    "  cluster:",
    `    server: ${text(server)}`,
    ...(authorityPem === undefined
      ? []
      : [`    certificate-authority-data: ${data(authorityPem)}`]),
    "users:",
    `- name: ${text(user)}`,
    "  user:",
    ...(credentials.kind === "token"
      ? [`    token: ${text(credentials.token)}`]
      : [
          `    client-certificate-data: ${data(credentials.certificatePem)}`,
          `    client-key-data: ${data(credentials.keyPem)}`,
        ]),
    "contexts:",
    `- name: ${text(name)}`,
    "  context:",
    `    cluster: ${text(name)}`,
    `    user: ${text(user)}`,
    ...(namespace === undefined ? [] : [`    namespace: ${text(namespace)}`]),
    `current-context: ${text(name)}`,
    "",
  ];
  return lines.join("\n");
}
