import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["static/vendor/**", "node_modules/**"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.browser },
    rules: {
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-shadow": "off",
      eqeqeq: ["error", "smart"],
      "max-lines": ["error", 500],
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Texts are drawn as texts." },
        { property: "outerHTML", message: "Texts are drawn as texts." },
        { property: "insertAdjacentHTML", message: "Texts are drawn as texts." },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "Property[key.name='dangerouslySetInnerHTML']", message: "Texts are drawn as texts." },
      ],
    },
  },
];
