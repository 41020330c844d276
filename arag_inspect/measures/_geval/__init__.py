"""How G-Eval asks a grader: criteria, lists of statements or items, and the grade."""
