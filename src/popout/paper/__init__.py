"""The figures and claims of the paper: computed, drawn, described and examined.

==================  ===============================================================================
`figures`           the paper's figures, one module each
`tables`            further numbers that the claims need, one module each
`claims`            what the paper says, examined on the data of figures and tables
`preset`            how much work goes into them: quick, paper
`reproduce`         the run over all of them
`report`            the page
`recursion`         the paper's own dynamic programming, which two of the tables examine
`conjecture`        a-SPRT with given scales, and the scales that the paper prints
==================  ===============================================================================
"""
