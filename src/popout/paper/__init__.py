"""The figures and claims of the paper: computed, drawn, described and examined.

==================  ===============================================================================
`figures`           the paper's figures and those of a chapter beyond it, one module each
`claims`            what the paper says, each subject beside the tables that it needs
`preset`            how much work goes into them: quick, paper
`reproduce`         the run over all of them, and the page
`recursion`         the paper's own dynamic programming, which two of the tables examine
`conjecture`        a-SPRT with given scales, and the scales that the paper prints
==================  ===============================================================================
"""
