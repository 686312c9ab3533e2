"""x"""

from popout.certificate.certificate import Certificate
from popout.certificate.control import controlled_risk
from popout.certificate.estimate import ControlledRisk
from popout.certificate.learn import Effort

__all__ = ["Certificate", "ControlledRisk", "Effort", "controlled_risk"]
