{{- define "setpoint.name" -}}
{{- if contains "setpoint" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-setpoint{{ end -}}
{{- end }}

{{- define "setpoint.selector" -}}
app.kubernetes.io/name: setpoint
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "setpoint.labels" -}}
{{ include "setpoint.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "setpoint.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "setpoint.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
