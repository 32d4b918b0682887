/** Pairs of a LaTeX command and its character, separated by blanks. */
const pairs = `
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν
xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π
Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
times × cdot · div ÷ pm ± mp ∓ ast ∗ circ ∘ bullet • oplus ⊕ otimes ⊗ cap ∩ cup ∪ setminus ∖ wedge ∧ land ∧ vee ∨ lor ∨
neg ¬ lnot ¬
le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ lt < gt > in ∈ notin ∉ ni ∋
subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ perp ⊥ parallel ∥ mid |
to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⇒ iff ⇔ mapsto ↦
uparrow ↑ downarrow ↓ longrightarrow → rightleftharpoons ⇌
infty ∞ partial ∂ nabla ∇ sum ∑ prod ∏ int ∫ iint ∬ oint ∮ forall ∀ exists ∃ emptyset ∅ varnothing ∅ angle ∠ degree °
prime ′ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ ldots … dots … cdots ⋯ vdots ⋮ therefore ∴ because ∵ checkmark ✓ square □
langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | Vert ‖`;

/** Commands about the look of a formula, which have no character. */
const silent = `left right big Big bigg Bigg bigl bigr displaystyle textstyle limits nolimits text textbf textit textrm
mathrm mathbf mathit mathsf mathtt mathcal mathbb mathfrak operatorname boxed hline vec bar hat overline underline
color label tag nonumber notag phantom`;
const spaces = 'quad qquad space enspace thinspace';

const words = (text: string): string[] => text.trim().split(/\s+/);
const listed = words(pairs);

/** The characters of a command of LaTeX, by its name. */
export const mathSymbols: Readonly<Record<string, string>> = Object.assign(
  Object.create(null),
  Object.fromEntries(words(silent).map((name) => [name, ''])),
  Object.fromEntries(words(spaces).map((name) => [name, ' '])),
  Object.fromEntries(listed.flatMap((name, index) => (index % 2 === 0 ? [[name, listed[index + 1]!]] : []))),
);

const smallOf = (plain: string, small: string): Readonly<Record<string, string>> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries([...plain].map((unit, index) => [unit, [...small][index]!])),
  );

export const superscripts = smallOf(
  '0123456789+-=()niabcdefghjklmoprstuvwxyz′∘°',
  '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ′°°',
);
export const subscripts = smallOf('0123456789+-=()aeijoruvxhklmnpst', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₒᵣᵤᵥₓₕₖₗₘₙₚₛₜ');
